// A step of a transaction's story, as it is read.

export const stepKinds = [
  ...(['MOVE', 'ATTEMPT', 'ASKED', 'CALLBACK'] as const),
  ...(['WEBHOOK', 'ENTRY', 'ACT', 'CHECKOUT'] as const),
] as const
export type StepKind = (typeof stepKinds)[number]

export const actorKinds = ['MEMBER', 'KEY', 'PAYER', 'OPERATOR', 'STAFF', 'SYSTEM'] as const
export type ActorKind = (typeof actorKinds)[number]

export type Step = Readonly<{
  at: Date
  kind: StepKind
  /** What it is a step of: a status log, an attempt, a delivery, an entry … */
  ref: string
  /** Null: it is not known who. */
  actor_kind: ActorKind | null
  actor_id: string | null
  facts: Facts
}>

/** As JSON: moments as PostgreSQL writes them, amounts as whole hundredths in text. */
export type Facts = Readonly<Record<string, string | number | boolean | null>>

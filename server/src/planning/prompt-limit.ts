// The limit on prompts to one phone (contract 3.6, 8.14). It is counted for each environment: the
// sandbox prompts no real phone, so what is tried there takes nothing from LIVE.

import { promptAgainS } from '../merchants/prompt-count-statements.ts'
import type { Db } from '../platform/db.ts'
import { refuse } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'

/** A payment that the limit refused. */
export type PromptRefused = Readonly<{
  merchant_id: string
  environment: Environment
  network_code: string
  phone: string
}>

type LimitDeps = Readonly<{
  macs: Readonly<{ mac(purpose: string, data: string): Buffer }>
  limits: Readonly<{ phone_prompts_10min: number; phone_prompts_day: number }>
}>

/** How often this phone may be prompted on this network; the number itself is not kept. */
export function promptOf(
  { macs, limits }: LimitDeps,
  { environment, network_code, phone }: Omit<PromptRefused, 'merchant_id'>,
) {
  const target = macs.mac('prompt-target', `${environment} ${network_code} ${phone}`)
  return { target, per_10min: limits.phone_prompts_10min, per_day: limits.phone_prompts_day }
}

export type PromptDeps = LimitDeps &
  Readonly<{ db: Db; promptRefused?: (refused: PromptRefused) => void }>

/** Reported to whoever watches; nothing waits for that. It says when the phone may be asked. */
export async function tooManyPrompts(deps: PromptDeps, refused: PromptRefused): Promise<Error> {
  deps.promptRefused?.(refused)
  const retry_after_s = await promptAgainS(deps.db, promptOf(deps, refused))
  return refuse(accessErrors.rate_limited, { note: 'prompts', retry_after_s })
}

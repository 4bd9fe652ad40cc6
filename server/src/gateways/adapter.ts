// What an adapter asks of whoever sets an account up, and what it is opened with.

import type { KeyObject } from 'node:crypto'
import type { Text } from '../platform/errors.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import type { Direction, Gateway } from './gateway.ts'
import type { UsualPaces } from './pace.ts'

export type AccountEnvironment = 'SANDBOX' | 'LIVE'

/** One thing that the operator gives, or that we choose, to set an account up. */
export type SettingSpec = Readonly<{
  key: string
  /** Sealed, and shown to nobody again; only its fingerprint is. */
  secret: boolean
  required: boolean
  environments: readonly AccountEnvironment[]
  pattern: RegExp
  /** Taken where nothing is given. */
  standard?: Readonly<Partial<Record<AccountEnvironment, string>>>
  /** For an address: in LIVE its host must be one of these. */
  allowed_hosts?: readonly string[]
  help: Readonly<{ en: string; fr: string }>
  /**
   * It may change while payments are with the operator. Absent: it says where they are found again,
   * and stays.
   */
  changes_in_use?: true
}>

/** An operator's account of ours: its settings and opened secrets, by key. */
export type Account = Readonly<{
  id: string
  code: string
  environment: AccountEnvironment
  country: string
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
  /** Those before them, until they are retired: callbacks under way are signed with these. */
  former_secrets?: Readonly<Record<string, string>>
}>

export type IssuedToken =
  | { is: 'issued'; value: string; expires_in_s: number }
  | { is: 'none'; because: string; denied?: boolean }

export type TokenReading =
  | { is: 'token'; value: string; generation: bigint }
  /** `denied`: the operator does not know us by our secrets; of one denial one reading says so. */
  | { is: 'none'; because: string; denied?: boolean }

/** Access tokens of one account, one at a time per product, over all processes. */
export type TokenStore = Readonly<{
  get(product: string): Promise<TokenReading>
  /** The operator refused it: the next `get` brings another. Counts once for a generation. */
  refuse(product: string, generation: bigint): void
}>

/** The operator's public keys as they were last read. */
export type KeyStore = Readonly<{ get(key_id: string): KeyObject | undefined }>

export type AdapterTools = Readonly<{
  outbound: Outbound
  /** Absent where none are kept: no callback is then believed by its signature. */
  keys?: KeyStore
  /** `obtain` asks the operator for a token of a product. */
  tokens: (obtain: (product: string) => Promise<IssuedToken>) => TokenStore
  /** Milliseconds since 1970. */
  clock: () => number
  /** Counts what the operator sent and its sheet does not list. Never a body, never a secret. */
  note: (what: string) => void
}>

/** A network as the catalogue has it: how its payer confirms must be the imitation's too. */
export type ImitatedNetwork = Readonly<{
  code: string
  currency: string
  flow: 'push' | 'redirect'
  otp_kind: 'NONE' | 'PRE' | 'POST'
}>

/** Whoever is paid is asked nothing; a payer is asked on the phone, with no code and no page. */
export const isAskedByPhone = ({ flow, otp_kind }: ImitatedNetwork, direction: Direction) =>
  otp_kind === 'NONE' && (direction === 'DISBURSE' || flow === 'push')

/** How a payer confirms: on the phone, on a page, with a code made before or sent after. */
export type WayToConfirm = Pick<ImitatedNetwork, 'flow' | 'otp_kind'>

export const onPhone: WayToConfirm = { flow: 'push', otp_kind: 'NONE' }
export const onPage: WayToConfirm = { flow: 'redirect', otp_kind: 'NONE' }
export const byCodeBefore: WayToConfirm = { flow: 'push', otp_kind: 'PRE' }

export const isSameWay = (one: WayToConfirm, other: WayToConfirm): boolean =>
  one.flow === other.flow && one.otp_kind === other.otp_kind

/** What an operator does for us. */
export type Ability = Direction | 'REFUND' | 'REVERSAL' | 'BALANCE'

/** What the operator's own sandbox is documented to make of a number, or of a card. */
export type TestNumber = Readonly<{
  /** Of the catalogue. */
  network: string
  direction: Direction
  /** As it is given to our API. */
  number: string
  /** In the operator's words. */
  then: string
}>

/** What the operator publishes of them; where it publishes none, why `about` says so. */
export type TestNumbers = Readonly<{ numbers: readonly TestNumber[]; about: Text }>

/** An operator that we can have accounts with. */
export type AdapterModule = Readonly<{
  adapter: string
  name: string
  settings: readonly SettingSpec[]
  does: readonly Ability[]
  /** How its payers can confirm, its usual way first. */
  confirms: readonly [WayToConfirm, ...WayToConfirm[]]
  /** It can end what its payer has not confirmed: they are waited for so long and no more. */
  ends_waiting?: true
  tests: TestNumbers
  /** Networks that may speak its imitation in the sandbox, and which way. Absent: none may. */
  imitates?: (network: ImitatedNetwork, direction: Direction) => boolean
  /**
   * Addresses and networks that its callbacks come from, as its operator publishes them, by the
   * host that is called. Absent: it publishes none.
   */
  callback_addresses?: Readonly<Record<string, readonly string[]>>
  /** How much its operator usually allows of one account. */
  usual: (environment: AccountEnvironment) => UsualPaces
  open(account: Account, tools: AdapterTools): Gateway
}>

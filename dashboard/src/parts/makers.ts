// Who can have done something: the members of the team, and the keys of the API, each by its name.

import type {
  GetMerchantApiKeysData,
  GetMerchantApiKeysResponse,
  GetMerchantMembersData,
  GetMerchantMembersResponse,
} from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { useHere } from './place.tsx'

const page_size = 100
const stale_ms = 5 * 60_000

export type Choices = readonly (readonly [id: string, name: string])[]

type KeyNamed = Readonly<Record<'name' | 'key_prefix' | 'last4', string>>

/** Its own name; without one as much of it as distinguishes it from another. */
export const keyName = ({ name, key_prefix, last4 }: KeyNamed): string =>
  name || `${key_prefix}…${last4}`

/** Each list is asked for where it is wanted. */
export function useMakers({
  member,
  key,
}: Readonly<Record<'member' | 'key', boolean>>): Readonly<{ member: Choices; key: Choices }> {
  const { place } = useHere()
  const members = useRead<GetMerchantMembersData, GetMerchantMembersResponse>(
    place,
    { url: '/merchant-members/', query: { page_size } },
    { on: member, stale_ms },
  )
  const keys = useRead<GetMerchantApiKeysData, GetMerchantApiKeysResponse>(
    place,
    { url: '/merchant-api-keys/', query: { page_size } },
    { on: key, stale_ms },
  )
  return {
    member: (members.data?.results ?? []).map(({ id, first_name, last_name, email }) => [
      id,
      `${first_name} ${last_name}`.trim() || email,
    ]),
    key: (keys.data?.results ?? []).map((one) => [one.id, keyName(one)]),
  }
}

/** One who has left, or whose list has not come, stays chosen. */
export const withChosen = (choices: Choices, chosen = ''): Choices =>
  chosen === '' || choices.some(([id]) => id === chosen) ? choices : [...choices, [chosen, chosen]]

// A customer whom a form is begun for: the address names them, so that it can be copied and found
// again.

import type { Customer, GetCustomersByIdData, GetCustomersByIdResponse } from '../api/types.gen.ts'
import { useRead } from '../data/queries.ts'
import { isId } from './filter-values.ts'
import { useFilters, useHere } from './place.tsx'

/** `isFetched`: whether it is known who they are, or that nobody is. */
export function useKnownCustomer(): Readonly<{
  customer: Customer | undefined
  isFetched: boolean
}> {
  const { place } = useHere()
  const { customer: id = '' } = useFilters({ customer: isId }).filters
  const { data, isFetched } = useRead<GetCustomersByIdData, GetCustomersByIdResponse>(
    place,
    { url: '/customers/{id}/', path: { id } },
    { on: id !== '' },
  )
  return { customer: data, isFetched: isFetched || id === '' }
}

// The rows of a file by their ids: those that somebody has ticked in a list.

import { Type } from 'typebox'
import type { FieldErrors, Text } from '../../platform/errors.ts'
import type { Query } from '../../platform/http/filters.ts'
import { isUuid } from '../../platform/ids.ts'

/** As many as a page of the list has at most. */
const ids_max = 100

export const idsQuery = {
  id: Type.Optional(
    Type.String({
      description:
        `Only these transactions: up to ${ids_max} ids, separated by commas. The other filters ` +
        'narrow them further. An id that the merchant does not have in this environment is left ' +
        'out without a word.',
      example: '01981f3a-5b60-7c11-9a52-0242ac120031,01981f3a-5b60-7c11-9a52-0242ac120032',
    }),
  ),
}

const tooMany: Text = {
  en: `Must be at most ${ids_max} ids. Export the others in another file.`,
  fr: `Doit compter au plus ${ids_max} identifiants. Exportez les autres dans un autre fichier.`,
}

const notAnId = (nth: number): Text => ({
  en: `Id ${nth} must be a UUID.`,
  fr: `L’identifiant ${nth} doit être un UUID.`,
})

const listed = ({ id = '' }: Query): string[] =>
  id === '' ? [] : id.split(',').map((one) => one.trim())

/** Which of them is no id, by where it stands. */
export function checkIds(query: Query): FieldErrors {
  const ids = listed(query)
  if (ids.length > ids_max) return { id: [tooMany] }
  const faults = ids.flatMap((id, at) => (isUuid(id) ? [] : [notAnId(at + 1)]))
  return faults.length === 0 ? {} : { id: faults }
}

/** Of a query that has passed `checkIds`; none: no filter. */
export const readIds = (query: Query): readonly string[] => listed(query)

// Which columns a file has: those that it comes with, all that there are, or some by their names,
// in the order in which they are asked for.

import { Type } from 'typebox'
import { assert, type FieldErrors, type Text } from '../errors.ts'
import type { Query } from '../http/filters.ts'
import type { Columns } from './columns.ts'

/** What a file can have. */
type Offered = Readonly<{
  /** What a caller gets who asks for nothing else. */
  columns: Columns
  /** Only for those who ask for all, or for these. */
  more_columns: Columns
}>

const allOf = ({ columns, more_columns }: Offered): Columns => ({ ...columns, ...more_columns })

export const columnsQuery = (offered: Offered) => ({
  columns: Type.Optional(
    Type.String({
      description:
        'Names of columns, separated by commas: the file has these alone, in this order, each ' +
        `once. ${meaningOfAll(Object.keys(offered.more_columns))}`,
      examples: [Object.keys(offered.columns).slice(0, 3).join(',')],
    }),
  ),
})

const meaningOfAll = (more: readonly string[]): string =>
  more.length === 0
    ? '`default` and `all` are what there is without it: every column.'
    : `\`default\` is what there is without it; \`all\` appends ${more.join(', ')}.`

const noSuchColumn = (names: readonly string[]): Text => ({
  en:
    'Must name columns of this file, separated by commas, or be default or all. ' +
    `Its columns: ${names.join(', ')}.`,
  fr:
    'Doit nommer des colonnes de ce fichier, séparées par des virgules, ou être default ou all. ' +
    `Ses colonnes : ${names.join(', ')}.`,
})

/** Of a choice that is neither of the two words. */
const namesIn = (choice: string): string[] => choice.split(',').map((name) => name.trim())

/** What the schema does not express: only columns that there are. */
export function checkColumns(offered: Offered, query: Query): FieldErrors {
  const { columns: choice = 'default' } = query
  if (choice === 'default' || choice === 'all') return {}
  const names = Object.keys(allOf(offered))
  const areThere = namesIn(choice).every((name) => names.includes(name))
  return areThere ? {} : { columns: [noSuchColumn(names)] }
}

/** By a query that has passed `checkColumns`. */
export function chosenColumns(offered: Offered, query: Query): Columns {
  const { columns: choice = 'default' } = query
  if (choice === 'default') return offered.columns
  const all = allOf(offered)
  if (choice === 'all') return all
  return Object.fromEntries(
    namesIn(choice).map((name) => {
      const column = all[name]
      assert(column !== undefined, 'the query was checked')
      return [name, column]
    }),
  )
}

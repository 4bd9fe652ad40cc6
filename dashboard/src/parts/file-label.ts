// What the name of a saved file says beside what it holds: whose it is, test or live, which days.
// An accountant keeps those of several shops and months in one folder.

import { modeOf, useHere } from './place.tsx'

type Bounds = Readonly<{
  from?: string | undefined
  to?: string | undefined
  /** Of one balance. */
  country?: string | undefined
  /** Rows of test and of live. */
  isOfBoth?: boolean
}>

const name_length_max = 40

/** `Boutique Awa & fils` as part of a file's name: `boutique-awa-fils`. */
const inFileName = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, name_length_max)
    .replace(/^-|-$/g, '')

/** Of days of the merchant’s calendar; a file without a last one has what there is today. */
export function useFileLabel(): (rows: Bounds) => string {
  const { merchant, environment, today } = useHere()
  return ({ from, to, country, isOfBoth = false }) =>
    [inFileName(merchant.name), !isOfBoth && modeOf(environment), country, from, to || today()]
      .filter(Boolean)
      .join('-')
}

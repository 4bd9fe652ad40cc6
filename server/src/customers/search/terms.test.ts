// What is typed becomes patterns: a merchant who types a name without its accent, or a phone as it
// stands on a screen, finds it; who types a wildcard finds a wildcard.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { fold, readTerms } from './terms.ts'

describe('a search', () => {
  it.each([
    ['awa', [['%awa%']]],
    ['  AWA   Diop ', [['%awa%'], ['%diop%']]],
    ['Élodie Œuvrard', [['%elodie%'], ['%oeuvrard%']]],
    ['N’Diaye', [["%n'diaye%"]]],
    // Short names are names: they begin a word.
    ['Ba', [['% ba%']]],
    ['é', [['% e%']]],
    ['100%', [['%100\\%%']]],
    ['a_b', [['%a\\_b%']]],
    ['a\\', [['% a\\\\%']]],
    ['awa - diop', [['%awa%'], ['%diop%']]],
    ['', []],
    ['  ', []],
    [' % _ \\ ', [[]]],
    ['@@@', [[]]],
    ['TXN-20261121-ABCD', [['%txn-20261121-abcd%']]],
  ])('for %j is %j', (text, terms) => {
    expect(readTerms(text)).toEqual(terms)
  })

  it.each([
    ['+229 01 97 00', ['%+229 01 97 00%', '%+229019700%']],
    ['00229 01.97', ['%00229 01.97%', '%002290197%', '%+2290197%']],
    ['01 97 00 00 10', ['%01 97 00 00 10%', '%0197000010%', '%197000010%']],
    ['(01) 97-00', ['%(01) 97-00%', '%019700%']],
    ['97000010', ['%97000010%']],
    ['12 3', ['%12 3%', '%123%']],
  ])('for the phone %j has any of %j', (text, patterns) => {
    expect(readTerms(text)).toEqual([patterns])
  })
})

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at))

describe('folding', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  it('is the same here and in the database, for every letter of Latin scripts and beyond', async () => {
    // (A Greek sigma at the end of a word is another letter to JavaScript.)
    const [latin, marks, cyrillic] = [range(0x20, 0x24f), range(0x300, 0x36f), range(0x400, 0x4ff)]
    const letters = [...latin, ...marks, ...cyrillic]
    const texts = [
      ...letters,
      ...letters.map((letter) => `a${letter}`),
      'Ỳ ﬁ Ａ ⁵',
      'Côte d’Ivoire',
    ]
    const rows = await database.owner<{ folded: string }[]>`
      select fold_text(said) as folded
        from unnest(${texts}::text[]) with ordinality as asked (said, at) order by at`
    const different = texts.filter((text, at) => rows[at]?.folded !== fold(text))
    expect(different.map((text) => [text, fold(text)])).toEqual([])
  })
})

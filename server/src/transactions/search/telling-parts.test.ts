// What the index is asked for of what was typed: all of it but what nearly every row has.

import { describe, expect, it } from 'vitest'
import { readTerms } from '../../customers/search/terms.ts'
import { piecesOf, tellingTerms } from './telling-parts.ts'

const telling = (typed: string, ...common: string[]) =>
  tellingTerms(readTerms(typed), new Set(common))

it('cuts every word into pieces of three, each once', () => {
  expect(piecesOf(readTerms('awa wawa'))).toEqual(['awa', 'waw'])
  expect(piecesOf(readTerms('ba'))).toEqual([' ba'])
  expect(piecesOf(readTerms('a_%b'))).toEqual(['a_%', '_%b'])
})

describe('of a pattern', () => {
  it.each<[string, string[], string[]]>([
    ['kofi.77@example', ['@ex', 'exa', 'xam', 'amp', 'mpl', 'ple'], ['%kofi.%', '%.77@%']],
    [
      'kofi.77@example',
      ['kof', 'ofi', 'fi.', 'exa', 'xam', 'amp', 'mpl', 'ple'],
      ['%.77@%', '%@ex%'],
    ],
    ['abcdefg', ['cde'], ['%abcd%', '%defg%']],
    ['abcdefg', [], ['%abcdefg%']],
    ['abcdefg', ['abc', 'bcd', 'cde', 'def', 'efg'], ['%abcdefg%']],
    ['a_b%cd', [], ['%\\%cd%']],
    ['ba', [' ba'], ['% ba%']],
    ['fatou💕', [], ['%fatou💕%']],
    ['ab💕cd', ['b💕c'], ['%ab💕%', '%💕cd%']],
  ])('%s without %j is looked for by %j', (typed, common, patterns) => {
    expect(telling(typed, ...common)).toEqual([[patterns]])
  })

  it('each spelling of a phone is an alternative by itself', () => {
    expect(telling('+229 0197', '+22', '229')).toEqual([[['%29 %', '% 0197%'], ['%290197%']]])
  })
})

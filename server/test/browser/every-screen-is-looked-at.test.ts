// Each screen of money and sales stands among those that every law of screens looks at: one that
// nobody names there would be seen by no reader before its first user.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { forms, readings } from './full-shop.ts'

const source = new URL('../../../dashboard/src/app/money-screens.tsx', import.meta.url)

/** `/payments/:id` and `/payments/{paid}` are one screen, and so is `/balances/BJ`. */
const screenOf = (address: string): string =>
  address.replace(/\?.*/, '').replaceAll(/:\w+|\{\w+\}|\bBJ\b/g, '*')

it('stands in `readings` or `forms` of full-shop.ts', async () => {
  const text = await readFile(source, 'utf8')
  const screens = [...text.matchAll(/^ {2}\{ path: '([^']+)'/gm)].map(([, path]) => `/${path}`)
  expect(screens.length).toBeGreaterThan(25)
  const looked_at = new Set([...readings, ...forms].map(screenOf))
  expect(screens.filter((path) => !looked_at.has(screenOf(path)))).toEqual([])
})

// Each screen of the dashboard stands among those that every law of screens looks at: one that
// nobody names there would be seen by no reader before its first user. Every file that routes is
// read, and an address that is written in a way that is not known here fails. What the menu leads
// to the palette has too, and neither of them leads to what there is not.

import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { entrances, forms, ownPages, readings } from './full-shop.ts'

const source = new URL('../../../dashboard/src/', import.meta.url)

/** `/payments/:id` and `/payments/{paid}` are one screen, and so is `/balances/BJ`. */
const screenOf = (address: string): string =>
  address.replace(/[?#].*/, '').replaceAll(/:\w+|\{\w+\}|\bBJ\b/g, '*')

/** What only leads on to the first of its screens. */
const led_on = ['/developers']

/** `/:merchant/:mode/developers/*?` opens `/developers` too. */
const below = (address: string): string =>
  address.replace(/^\/:merchant\/:mode/, '').replace(/\/\*\?$/, '')

const routes = /<Route\b(?:<[^>]*>)?[^>]*?\bpath=(?:"([^"]+)"|\{`\$\{at\}([^`]*)`\}|\{([^{}]+)\})/g

/** Of one route, in a file where `at` may begin its addresses; of a list, which is read as such. */
function addressesOf([, whole, rest, name = '']: RegExpMatchArray, text: string): string[] {
  if (whole !== undefined) return [whole]
  if (['path', 'below(path)'].includes(name)) return []
  const at = /^const at = '([^']+)'$/m.exec(text)?.[1]
  if (at === undefined || (rest === undefined && name !== 'at')) throw new Error(`where: ${name}`)
  return [at + (rest ?? '')]
}

/** Of lists of screens: those of money, and what opens to whoever comes. */
function listed(text: string): string[] {
  const screens = [...text.matchAll(/^ {2}\{ path: '([^'/][^']*)'/gm)].map(([, path]) => `/${path}`)
  const open = /^const entrances = \[([^\]]*)\]/m.exec(text)?.[1] ?? ''
  return [...screens, ...[...open.matchAll(/'([^']+)'/g)].map(([, path = '']) => path)]
}

const screensIn = (text: string): string[] => [
  ...listed(text),
  ...[...text.matchAll(routes)].flatMap((route) => addressesOf(route, text)),
]

async function allScreens(): Promise<string[]> {
  const files = (await readdir(source, { recursive: true })).filter((name) => /\.tsx$/.test(name))
  const texts = await Promise.all(files.map((name) => readFile(new URL(name, source), 'utf8')))
  const routing = texts.filter((text) => /<Route\b|^ {2}\{ path: '\w/m.test(text))
  expect(routing.length).toBeGreaterThan(5)
  const screens = [...new Set(routing.flatMap(screensIn).map(below))]
  expect(screens.length).toBeGreaterThan(50)
  return screens
}

it('stands in a list of full-shop.ts', async () => {
  const screens = await allScreens()
  const looked_at = new Set([...readings, ...forms, ...ownPages, ...entrances].map(screenOf))
  expect(
    screens.filter((path) => !looked_at.has(screenOf(path)) && !led_on.includes(path)),
  ).toEqual([])
})

const read = (file: string) => readFile(new URL(file, source), 'utf8')

/** Of the menu: an entry's name is its address. */
async function menu(): Promise<string[]> {
  const names = [...(await read('parts/menu.tsx')).matchAll(/\['(\w+)', '\w+'\]/g)]
  return [...new Set(names.map(([, name]) => (name === 'home' ? '' : `/${name}`)))]
}

async function palette(): Promise<string[]> {
  const entries = (await read('features/search/commands.ts')).matchAll(/\['(\/[\w/-]*|)', '\w+'/g)
  return [...entries].map(([, path = '']) => path)
}

it('is in the palette when it is in the menu', async () => {
  const places = await menu()
  expect(places.length).toBeGreaterThan(10)
  const found = await palette()
  const leadsOn = (path: string) => led_on.includes(path) && found.some((at) => at.startsWith(path))
  expect(places.filter((path) => !found.includes(path) && !leadsOn(path))).toEqual([])
})

it('is there when the menu or the palette leads to it', async () => {
  const screens = new Set(await allScreens())
  const led = [...(await menu()), ...(await palette())]
  expect(led.length).toBeGreaterThan(40)
  expect(led.filter((path) => !screens.has(path))).toEqual([])
})

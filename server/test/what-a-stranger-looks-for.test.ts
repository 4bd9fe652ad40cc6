// What somebody looks for who finds the repository: its license whole, how to report and to change
// something, and a picture of each page and paper.

import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { kinds } from './browser/kinds.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFile(path.join(root, file), 'utf8')

describe('the repository', () => {
  it('has the whole license that it names', async () => {
    const license = await read('LICENSE')
    const [head = '', body = ''] = license.split('TERMS AND CONDITIONS FOR USE')
    expect(head).toMatch(/Apache License\s+Version 2\.0, January 2004/)
    const sections = [...body.matchAll(/^ {3}(\d)\. [A-Z]/gm)].map(([, number]) => Number(number))
    expect(sections).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(body).toContain('END OF TERMS AND CONDITIONS')
    expect(body).toContain('APPENDIX: How to apply the Apache License to your work.')
    expect(JSON.parse(await read('package.json')).license).toBe('Apache-2.0')
    expect(await read('NOTICE')).toContain('Pirogue')
  })

  it('has forms for what is wrong, what is missing and what is changed', async () => {
    expect(await readdir(path.join(root, '.github/ISSUE_TEMPLATE'))).toHaveLength(2)
    expect(await read('.github/PULL_REQUEST_TEMPLATE.md')).toContain('test')
    expect(await read('SECURITY.md')).toMatch(/report/i)
  })

  it('has payments and receivers of webhooks in three languages', async () => {
    const names = await readdir(path.join(root, 'docs/examples'))
    const wanted = ['take-payment', 'webhook-receiver'].flatMap((name) =>
      ['mjs', 'php', 'py'].map((end) => `${name}.${end}`),
    )
    expect(names.sort()).toEqual(wanted)
  })
})

describe('the pictures', () => {
  const drawn = readdir(path.join(root, 'docs/images'))

  it('are of each kind of page that a payer meets', async () => {
    const wanted = kinds.map(({ name }) => `checkout-${name}-phone-fr.png`)
    const names = await drawn
    expect(wanted.filter((name) => !names.includes(name))).toEqual([])
  })

  it('are of each paper and of letters', async () => {
    expect((await drawn).filter((name) => /^(paper|letter)-/.test(name)).sort()).toEqual([
      ...['letter-confirm-address-en.png', 'letter-confirm-address-fr.png'],
      ...['letter-invitation-fr.png', 'letter-new-password-fr.png', 'paper-invoice-fr.png'],
      ...['paper-poster-a5-fr.png', 'paper-poster-a6-fr.png'],
      ...['paper-receipt-en.png', 'paper-receipt-fr.png'],
    ])
  })
})

// Secrets that are typed: each where it is asked for, and never the next command of a pasted block.

import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { SettingSpec } from '../../gateways/adapter.ts'
import type { Locale } from '../../platform/errors.ts'
import { readSecrets } from './read-secrets.ts'

const specOf = (key: string): SettingSpec => ({
  ...{ key, secret: true, required: true, environments: ['SANDBOX'], pattern: /./ },
  help: { en: `The ${key}.`, fr: `Le ${key}.` },
})
const specs = [specOf('api_key'), specOf('webhook_secret'), specOf('tls_key')]

/** A person at a terminal, who types these at once, one after each question. */
const typed = (...texts: readonly string[]) => typedIn('en', ...texts)

async function typedIn(language: Locale, ...texts: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const shown: string[] = []
  const err = (line: string) => {
    shown.push(line)
    const text = texts[shown.length - 1]
    if (text !== undefined) setImmediate(() => input.write(text))
  }
  const secrets = await readSecrets({ env: {}, out: err, err, input }, specs, language)
  return { secrets, shown }
}

it('are read one by one, and an empty one is none', async () => {
  const { secrets, shown } = await typed('one\n', 'two\n', '\n')
  expect(secrets).toEqual({ api_key: 'one', webhook_secret: 'two' })
  expect(shown[0]).toBe('The api_key.\napi_key (not shown):')
})

it('are asked for in the language of whoever types them', async () => {
  const { shown } = await typedIn('fr', 'one\n', 'two\n', '\n')
  expect(shown[0]).toBe('Le api_key.\napi_key (non affiché)\u00a0:')
  await expect(typedIn('fr', 'one\ntwo\n')).rejects.toThrow(/^Plusieurs lignes sont arrivées/)
})

it('are none of what was pasted behind the command that asks for them', async () => {
  const block = 'npm run cli -- gateway check one\nnpm run cli -- gateway on one\n'
  for (const at of [0, 1, 2]) {
    const before = ['one\n', 'two\n'].slice(0, at)
    await expect(typed(...before, block)).rejects.toThrow(/More than one line came at once/)
  }
})

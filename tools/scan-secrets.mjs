// Finds secrets in the files that git knows: keys of ours, of clouds and of code hosts, private
// keys, passwords in addresses. An example of the documentation is named by its hash in
// secret-examples.txt, so that no look-alike passes. `node tools/scan-secrets.mjs [folder]`.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const kinds = {
  'a private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/]{32}/g,
  'an API key of ours': /\bsk_(?:live|test)_[\w-]{43}(?![\w-])/g,
  'a session of ours': /\bsess_[\w-]{43}(?![\w-])/g,
  'a webhook secret of ours': /\bwhsec_[A-Za-z0-9+/]{43}=/g,
  'a SECRET_KEY': /\bSECRET_KEY\s*[=:]\s*["'`]?[A-Za-z0-9+/_-]{43}=/g,
  'a cloud key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  'a token of a code host': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{40,}|glpat-[\w-]{20,})/g,
  'a token of a package registry': /\bnpm_[A-Za-z0-9]{36}\b/g,
  'a token of a chat': /\bxox[abprs]-[\w-]{20,}/g,
  'a key of another payment service': /\b[rs]k_live_[A-Za-z0-9]{24}(?![\w-])/g,
  // Of six characters and more; with what documentation and tests write instead left out.
  'a password in an address': new RegExp(
    String.raw`\b(?:postgres(?:ql)?|smtps?|https?|redis)://[\w.%-]+:` +
      '(?!(?:password|secret|hidden)@|hunter2|p%3Aw)' +
      String.raw`[^\s:@/'"\`$<{*]{6,}@(?!localhost|127\.)`,
    'g',
  ),
}

/** Examples that were made up for a page, by SHA-256 of the whole match. */
const examples = new Set(
  readFileSync(new URL('./secret-examples.txt', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[0])
    .filter(Boolean),
)

const hashOf = (text) => createHash('sha256').update(text).digest('hex')

/** The secrets of one text, each with its line; what was found is never printed. */
export function secretsIn(text) {
  return Object.entries(kinds).flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)]
      .filter(([match]) => !examples.has(hashOf(match)))
      .map(({ 0: match, index }) => ({
        kind,
        line: text.slice(0, index).split('\n').length,
        hash: hashOf(match),
      })),
  )
}

const bytes_max = 5_000_000

/** Also files that are not committed yet, unless git is told to overlook them. */
export function scan(root) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0')
  return files.filter(Boolean).flatMap((file) => {
    const bytes = readIfThere(join(root, file))
    if (bytes === undefined || bytes.length > bytes_max || bytes.includes(0)) return []
    return secretsIn(bytes.toString('utf8')).map((found) => ({ file, ...found }))
  })
}

function readIfThere(file) {
  try {
    return readFileSync(file)
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes(error.code)) return undefined
    throw error
  }
}

if (process.argv[1]?.endsWith('scan-secrets.mjs')) {
  const found = scan(process.argv[2] ?? '.')
  for (const { file, line, kind, hash } of found) {
    console.error(`${file}:${line}: ${kind}. Revoke it, take it out, or name it: ${hash}`)
  }
  process.exitCode = found.length === 0 ? 0 : 1
}

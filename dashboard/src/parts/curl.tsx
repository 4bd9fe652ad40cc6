// The call behind a screen, or behind what it does, as a program would make it: with a key of the
// reader's own, whose secret is never here.

import { type Operation, type Request, whereOf } from '../data/call.ts'
import { Copy } from '../ui/copy.tsx'
import { Code } from '../ui/facts.tsx'
import { t } from '../words/translate.ts'

type Asked<Of extends Operation> = Omit<Request<Of>, 'place' | 'signal' | 'isBackground'>

/** Between single quotes a POSIX shell takes every sign as it stands, but that one. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export function curlOf<Of extends Operation>(request: Asked<Of>): string {
  const { method, body, key } = request
  const lines = [
    `curl -s${method === 'GET' ? '' : `X ${method}`} ${quoted(whereOf(request))}`,
    '-H "Authorization: Bearer $KEY"',
    ...(key === undefined ? [] : [`-H ${quoted(`Idempotency-Key: ${key}`)}`]),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ]
  return lines.join(' \\\n  ')
}

type CurlProps<Of extends Operation> = Readonly<{ of: Asked<Of>; name: string }>

/** Folded away: most readers are not programmers. `name`: which call it is. */
export function Curl<Of extends Operation>({ of, name }: CurlProps<Of>) {
  const text = curlOf(of)
  return (
    <details className="curl">
      <summary>{name}</summary>
      <p className="hint">{t('curl_how')}</p>
      <Code name={name} text={text} />
      <Copy text={text} name={t('copy')} />
    </details>
  )
}

// The envelope around every JSON answer (contract 1.2), and the preference that takes it off. A
// payload is serialised once and wrapped as text, so that a stored one replays byte for byte.

export type Envelope = 'on' | 'off'

/** The envelope that `Prefer` requests; other preferences in the list are ignored (RFC 7240). */
export function readEnvelopePreference(
  prefer: string | string[] | undefined,
): Envelope | undefined {
  const header = Array.isArray(prefer) ? prefer.join(',') : prefer
  for (const preference of header?.split(',') ?? []) {
    const [token = ''] = preference.split(';')
    const [, value] = /^\s*envelope\s*=\s*"?(on|off)"?\s*$/i.exec(token) ?? []
    // The first of two contradicting preferences counts.
    if (value !== undefined) return value.toLowerCase() === 'on' ? 'on' : 'off'
  }
  return undefined
}

export const wrapSuccess = (json: string, status: number): string =>
  `{"success":true,"data":${json},"code":${status}}`

export const wrapError = (json: string, status: number): string =>
  `{"success":false,"error":${json},"code":${status}}`

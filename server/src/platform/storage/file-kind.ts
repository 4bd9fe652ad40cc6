// The kind of a file by its first bytes: a content type is only what the sender claims.

const signatures = {
  'application/pdf': [[0, '%PDF-']],
  'image/png': [[0, '\x89PNG\r\n\x1a\n']],
  'image/jpeg': [[0, '\xff\xd8\xff']],
  'image/webp': [
    [0, 'RIFF'],
    [8, 'WEBP'],
  ],
} as const satisfies Record<string, readonly (readonly [number, string])[]>

export type FileKind = keyof typeof signatures

/** Whether it begins as a file of this kind does. */
export function beginsAs(kind: FileKind, bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 16))
  return signatures[kind].every(([at, text]) => {
    const sign = Buffer.from(text, 'latin1')
    return head.subarray(at, at + sign.length).equals(sign)
  })
}

/** The content type of a header, without its parameters, where it is one of these. */
export function kindOf<const K extends FileKind>(
  header: string | string[] | undefined,
  kinds: readonly K[],
): K | undefined {
  const [named = ''] = [header ?? ''].flat().join(',').split(';')
  return kinds.find((kind) => kind === named.trim().toLowerCase())
}

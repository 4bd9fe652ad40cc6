// A file name is kept as the sender's own words, and is nothing but a name.

import { describe, expect, it } from 'vitest'
import { cleanFileName } from './change-documents.ts'

describe('a file name', () => {
  it.each([
    ['passport.pdf', 'passport.pdf'],
    ['Registre du commerce (2026).PDF', 'Registre du commerce (2026).pdf'],
    ['pièce d’identité.pdf', 'pièce d’identité.pdf'],
    ['', 'document.pdf'],
    ['.pdf', 'document.pdf'],
    ['...', 'document.pdf'],
    ['../../etc/passwd', 'passwd.pdf'],
    ['C:\\Users\\awa\\scan.pdf', 'scan.pdf'],
    ['invoice.exe', 'invoice.exe.pdf'],
    ['photo.jpg', 'photo.pdf'],
    ['a\r\nSet-Cookie: x=1.pdf', 'a__Set-Cookie_ x=1.pdf'],
    ['"quoted"<b>.pdf', '_quoted__b_.pdf'],
    // A right-to-left override would show "exe.fdp" as "pdf.exe" turned round.
    ['gpj\u202efdp.exe', 'gpj_fdp.exe.pdf'],
    [' .hidden. ', 'hidden.pdf'],
  ])('%j is kept as %j', (given, kept) => {
    expect(cleanFileName(given, 'application/pdf')).toBe(kept)
  })

  it('ends as its type does, and is not endless', () => {
    expect(cleanFileName('scan.pdf', 'image/jpeg')).toBe('scan.jpg')
    expect(cleanFileName('scan', 'image/png')).toBe('scan.png')
    const long = cleanFileName('é'.repeat(300), 'image/png')
    expect([...long]).toHaveLength(104)
  })
})

// A button that copies a text.

import { useEffect, useState } from 'react'
import { t } from '../words/translate.ts'

type CopyProps = Readonly<{
  text: string
  name: string
  /** It is what a reader wants most of this screen: `c` copies it too. */
  isFirst?: boolean
}>

/** Copies, and says for a moment that it has. */
export function Copy({ text, name, isFirst = false }: CopyProps) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
  }
  // Browsers have no clipboard for pages that came without https, loopback apart.
  if (!window.isSecureContext) return null
  return (
    <>
      <button type="button" className="plain" data-key={isFirst ? 'c' : undefined} onClick={copy}>
        {isCopied ? t('copied') : name}
      </button>
      <span role="status" className="unseen">
        {isCopied && t('copied')}
      </span>
    </>
  )
}

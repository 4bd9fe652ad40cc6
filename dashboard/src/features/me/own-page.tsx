// The frame of one's own pages, which belong to no merchant.

import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { t } from '../../words/translate.ts'

type Props = Readonly<{ title: string; switcher: ReactNode; children: ReactNode }>

export function OwnPage({ title, switcher, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Pirogue`
    heading.current?.focus()
  }, [title])
  return (
    <main className="entry own" id="main">
      <header>
        <Link className="brand" href="/">
          <b>Pirogue</b>
        </Link>
        {switcher}
      </header>
      <nav aria-label={t('account')} className="tabs">
        <Link href="/">{t('me_back')}</Link>
        <Link href="/me">{t('account')}</Link>
        <Link href="/me/security">{t('security')}</Link>
      </nav>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  )
}

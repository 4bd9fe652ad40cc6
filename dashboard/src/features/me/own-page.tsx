// The frame of one's own pages, which belong to no merchant.

import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { Bands } from '../../parts/bands.tsx'
import { lastPlace } from '../../parts/place.tsx'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words/translate.ts'

type Props = Readonly<{ title: string; switcher: ReactNode; children: ReactNode }>

const pages = [
  ['/me', 'account'],
  ['/me/security', 'security'],
] as const

export function OwnPage({ title, switcher, children }: Props) {
  const [location] = useLocation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Pirogue`
    heading.current?.focus()
  }, [title])
  return (
    <main className="entry own" id="main">
      <Bands />
      <header>
        <Link className="brand" href={lastPlace()}>
          <b>Pirogue</b>
        </Link>
        {switcher}
      </header>
      <nav aria-label={t('account')} className="tabs">
        <Link href={lastPlace()}>{t('me_back')}</Link>
        {pages.map(([path, name]) => (
          <Link key={path} href={path} aria-current={location === path ? 'page' : undefined}>
            {t(name)}
          </Link>
        ))}
      </nav>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  )
}

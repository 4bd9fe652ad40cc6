// The gallery of what screens are made of: each part in its states, at an address of its own, in
// both languages and themes. Served in development alone (`vite.config.ts`). Left out is what asks
// the API by itself: the frame and its menu, the line that says what is new, a story, cards of
// transactions, a list that is saved, a QR code, who may.

import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { useLocation } from 'wouter'
import { wearTheme } from '../src/data/theme.ts'
import { LanguageSwitch } from '../src/parts/language-switch.tsx'
import { HereProvider } from '../src/parts/place.tsx'
import { ThemeChoice } from '../src/parts/theme.tsx'
import { Link } from '../src/ui/link.tsx'
import { expectWords, languageNow, languageOfReader, speak } from '../src/words/translate.ts'
import { actPages } from './acts.tsx'
import { fieldPages } from './fields.tsx'
import { recordPages } from './records.tsx'
import { statePages } from './states.tsx'
import { hereIn } from './values.tsx'
import '../src/ui/style.css'
import '../src/ui/parts.css'
import '../src/ui/inside.css'
import '../src/ui/manage.css'

const pages = Object.entries({ ...actPages, ...fieldPages, ...recordPages, ...statePages })
const none = ['kit', undefined] as const
const root = '/dashboard/kit'

function Gallery() {
  const [path] = useLocation()
  const [language, setLanguage] = useState(languageNow)
  const [name, Shown] = pages.find(([one]) => path === `${root}/${one}`) ?? none
  useEffect(() => {
    document.title = `${name} · Pirogue`
  }, [name])
  return (
    <HereProvider value={hereIn(language)}>
      <div className="shell" key={language}>
        <header className="top">
          <ThemeChoice />
          <LanguageSwitch
            language={language}
            onChoose={(next) => speak(next).then(() => setLanguage(next))}
          />
        </header>
        <nav className="top" aria-label="Kit">
          <ul className="acts">
            {pages.map(([one]) => (
              <li key={one} lang="en">
                <Link
                  className="chip"
                  href={`${root}/${one}`}
                  aria-current={one === name ? 'page' : undefined}
                >
                  {one}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <main id="main">
          <h1 lang="en">{name}</h1>
          {Shown && <Shown key={name} />}
        </main>
      </div>
    </HereProvider>
  )
}

const into = document.getElementById('app')
if (into !== null) {
  expectWords(['acts', 'developers', 'entrance', 'frame', 'screens'])
  await speak(languageOfReader(undefined))
  wearTheme()
  createRoot(into).render(<Gallery />)
}

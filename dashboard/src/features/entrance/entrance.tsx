// The entrances: what is opened without being signed in. Signing up, and what e-mails lead to:
// proving an address, a new password, an invitation, keeping a second factor; and what the start of
// a demo leads to.

import type { ReactNode } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { useSession } from '../../data/session.ts'
import { Link } from '../../ui/link.tsx'
import { t } from '../../words/translate.ts'
import { KeepFactor, VerifyEmail } from './emailed-links.tsx'
import { Invited } from './invited.tsx'
import { Forgot, Reset } from './new-password.tsx'
import { Register } from './register.tsx'
import { StartLink } from './start-link.tsx'

type Props = Readonly<{ switcher: ReactNode }>

export default function Entrance({ switcher }: Props) {
  return (
    <main className="entry" id="main">
      <header>
        <Link className="brand" href="/">
          <b>Pirogue</b>
        </Link>
        {switcher}
      </header>
      <Switch>
        <Route path="/register" component={Register} />
        <Route path="/forgot-password" component={Forgot} />
        <Route path="/reset-password" component={Reset} />
        <Route path="/verify-email" component={VerifyEmail} />
        <Route path="/invitation" component={Invited} />
        <Route path="/keep-second-factor" component={KeepFactor} />
        <Route path="/sign-in-link" component={StartLink} />
      </Switch>
      <ToSignIn />
    </main>
  )
}

/** Whoever is signed in and confirms their address is led on by that page. */
function ToSignIn() {
  const isIn = useSession().is === 'in'
  const [path] = useLocation()
  if (isIn && path === '/verify-email') return null
  return (
    <p className="after">
      <Link href="/">{t('to_sign_in')}</Link>
    </p>
  )
}

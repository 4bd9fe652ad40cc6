// What is left to do until real money can be taken: each step with its state, and where it is done.

import { type ReactNode, useEffect } from 'react'
import { lookAtSession, sessionAge } from '../../data/session.ts'
import { useHere } from '../../parts/place.tsx'
import { Link } from '../../ui/link.tsx'
import { type State, Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

/** Whoever has just signed in, or loaded the page, has it as it is. */
const fresh_ms = 5_000

/**
 * The papers, the address and the review change elsewhere, in another tab or by our team: looked at
 * whenever its reader comes to this screen or back to this tab.
 */
function useFreshSession(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const look = () => {
      if (document.visibilityState === 'hidden' || sessionAge() <= fresh_ms) return
      lookAtSession({ isBackground: true }).catch(() => undefined)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [isOn])
}

export function OpenLive() {
  const { me, merchant, environment, may, to } = useHere()
  useFreshSession(!merchant.live_enabled && environment === 'SANDBOX')
  if (merchant.live_enabled || environment === 'LIVE') return null
  const { email, email_verified } = me.member
  const sent = merchant.kyc_status !== 'NONE'
  const papers = may('settings') && (
    <Link href={to('/settings/verification')}>{t('live_papers_send')}</Link>
  )
  return (
    <section className="outcome">
      <h2>{t('live_not_open')}</h2>
      <ol>
        <Step name={t('live_email')} of={email_verified ? done : missing}>
          {!email_verified && (
            <>
              <p className="small">{t('live_email_sent', { email })}</p>
              <Link href="/me">{t('live_email_prove')}</Link>
            </>
          )}
        </Step>
        <Step name={t('live_papers')} of={sent ? done : missing}>
          {!sent && papers}
        </Step>
        <Step name={t('live_review')} of={reviewOf(merchant.kyc_status)}>
          {merchant.kyc_status === 'REJECTED' && papers}
        </Step>
      </ol>
    </section>
  )
}

const done: State = { shape: 'done', word: 'live_done' }
const missing: State = { shape: 'yours', word: 'live_missing' }

/** Accepted, and live still closed: no owner has proved their address yet. */
function reviewOf(status: 'NONE' | 'PENDING' | 'APPROVED' | 'REJECTED'): State {
  if (status === 'APPROVED') return done
  if (status === 'REJECTED') return { shape: 'failed', word: 'live_refused' }
  return status === 'NONE'
    ? { shape: 'off', word: 'live_later' }
    : { shape: 'waits', word: 'live_looked_at' }
}

type StepProps = Readonly<{ name: string; of: State; children: ReactNode }>

const Step = ({ name, of, children }: StepProps) => (
  <li className="first-step">
    <span className="card-line">
      {name} <Status of={of} />
    </span>
    {children}
  </li>
)

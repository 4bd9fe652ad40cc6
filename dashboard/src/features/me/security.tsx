// The security of one's account: the password, the second factor with its recovery codes, and the
// sessions, of which those that are not one's own are ended.

import { useEffect, useRef, useState } from 'react'
import type {
  DeleteAuthSessionsByIdData,
  GetAuthSessionsData,
  GetAuthSessionsResponse,
  Me,
  PostAuthLogoutAllData,
  PostAuthLogoutAllResponse,
  PostAuthPasswordChangeData,
  PostAuthPasswordChangeResponse,
  Session,
} from '../../api/types.gen.ts'
import { call, root } from '../../data/call.ts'
import { serviceNow } from '../../data/clock.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { readSession } from '../../data/session.ts'
import { deviceOf } from '../../format/device.ts'
import { writeMoment, zoneName } from '../../format/moment.ts'
import { useAct } from '../../ui/act.tsx'
import { Asking } from '../../ui/asking.tsx'
import { Button, errorAt, Form, secretIn, TextField } from '../../ui/form.tsx'
import { Read } from '../../ui/state.tsx'
import { Status } from '../../ui/status.tsx'
import { languageNow, t } from '../../words/translate.ts'
import { SecondFactorCard } from './second-factor-card.tsx'

type Props = Pick<Me, 'member'>

/** What is the person's own belongs to no merchant and no mode. */
const nowhere = { merchant: '', environment: 'SANDBOX' } as const

export function Security({ member }: Props) {
  const [strangers, setStrangers] = useState(0)
  return (
    <>
      <SecondFactorCard isOn={member.totp_enabled} />
      <Password strangers={strangers} />
      <Sessions onStranger={() => setStrangers(strangers + 1)} />
    </>
  )
}

/** Whoever was in with it can come back: after a session of a stranger it is to be changed. */
function Password({ strangers }: { strangers: number }) {
  const { failure, isBusy, run } = useAct()
  const [times, setTimes] = useState(0)
  const heading = useRef<HTMLHeadingElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    if (strangers === 0) return
    setIsOpen(true)
    heading.current?.focus()
  }, [strangers])
  const submit = async (form: FormData) => {
    await run(async () => {
      await call<PostAuthPasswordChangeData, PostAuthPasswordChangeResponse>({
        ...{ method: 'POST', url: '/auth/password/change/' },
        body: {
          current_password: secretIn(form, 'current_password'),
          password: secretIn(form, 'password'),
        },
      })
      setTimes(times + 1)
      await readSession()
      await readAgain('/auth/sessions/')
    })
  }
  return (
    <section>
      <h2 ref={heading} tabIndex={-1}>
        {t('password')}
      </h2>
      {times > 0 && <p role="status">{t('password_changed')}</p>}
      {strangers > 0 && times === 0 && <p className="wrong">{t('session_now_password')}</p>}
      <details open={isOpen} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
        <summary>{t('reset_act')}</summary>
        <Form
          key={times}
          name={t('reset_act')}
          failure={failure}
          fields={['current_password', 'password']}
          onSubmit={submit}
        >
          <p>{t('password_change_how')}</p>
          <TextField
            label={t('password_current')}
            error={errorAt(failure, 'current_password')}
            name="current_password"
            type="password"
            autoComplete="current-password"
            required
          />
          <TextField
            label={t('password_new')}
            hint={t('password_hint')}
            error={errorAt(failure, 'password')}
            name="password"
            type="password"
            autoComplete="new-password"
            maxLength={128}
            required
          />
          <Button type="submit" look="plain" busy={isBusy}>
            {t('reset_act')}
          </Button>
        </Form>
      </details>
    </section>
  )
}

const read = () => readAgain('/auth/sessions/')

type StrangerProps = Readonly<{ onStranger: () => void }>

function Sessions({ onStranger }: StrangerProps) {
  const list = useRead<GetAuthSessionsData, GetAuthSessionsResponse>(nowhere, {
    url: '/auth/sessions/',
    query: { page_size: 50 },
  })
  const leaveAll = async () => {
    await call<PostAuthLogoutAllData, PostAuthLogoutAllResponse>({
      ...{ method: 'POST', url: '/auth/logout/all/' },
    })
    location.assign(root)
  }
  return (
    <section>
      <h2>{t('sessions')}</h2>
      <Read of={list}>
        {({ results }) => (
          <ul className="cards" aria-label={t('sessions')}>
            {results.map((session) => (
              <Entry key={session.id} of={session} onStranger={onStranger} />
            ))}
          </ul>
        )}
      </Read>
      <p className="mute small">{t('times_of', { zone: zoneName(ownZone()) })}</p>
      <div className="acts">
        <Asking name={t('sessions_end')} text={t('sessions_end_how')} isGrave act={leaveAll} />
      </div>
    </section>
  )
}

/** Of the reader: what is their own belongs to no merchant and has no clocks of one. */
const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

function Entry({ of, onStranger }: StrangerProps & { of: Session }) {
  const end = async () => {
    await call<DeleteAuthSessionsByIdData, null>({
      ...{ method: 'DELETE', url: '/auth/sessions/{id}/', path: { id: of.id } },
    })
    await read()
  }
  const moment = (at: string) =>
    writeMoment(at, { language: languageNow(), zone: ownZone() }, new Date(serviceNow()))
  return (
    <li className="card">
      <span className="card-line">
        <b>
          <bdi>{deviceOf(of.user_agent) || t('session_device')}</bdi>
        </b>
        {of.current && <Status of={{ shape: 'done', word: 'session_here' }} />}
      </span>
      <span className="mute small line">
        {t('session_seen', { ip: of.ip, from: moment(of.created_at), at: moment(of.last_seen_at) })}
      </span>
      {!of.current && (
        <div className="row-acts">
          <Asking
            name={t('session_not_me')}
            text={t('session_not_me_how')}
            isGrave
            act={end}
            onDone={onStranger}
          />
        </div>
      )}
    </li>
  )
}

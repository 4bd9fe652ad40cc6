// One's own account: name, language of e-mails, address proven; its security has a page.

import { useState } from 'react'
import { Route, Switch } from 'wouter'
import type {
  Me as MeView,
  PatchAuthMeData,
  PatchAuthMeResponse,
  PostAuthEmailResendData,
  PostAuthEmailResendResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { lookAtSession, readSession } from '../../data/session.ts'
import { ThemeChoice } from '../../parts/theme.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Saved } from '../../ui/asking.tsx'
import { Button, errorAt, Form, SelectField, TextField, textIn } from '../../ui/form.tsx'
import { Link } from '../../ui/link.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { OwnPage } from './own-page.tsx'
import { Security } from './security.tsx'

type Props = Readonly<{ me: MeView; switcher: React.ReactNode }>

export default function Me({ me, switcher }: Props) {
  return (
    <Switch>
      <Route path="/me/security">
        <OwnPage title={t('security')} switcher={switcher}>
          <Security member={me.member} />
        </OwnPage>
      </Route>
      <Route>
        <OwnPage title={t('account')} switcher={switcher}>
          <Profile me={me} />
        </OwnPage>
      </Route>
    </Switch>
  )
}

function Profile({ me: { member } }: { me: MeView }) {
  const { failure, isBusy, run } = useAct()
  const [times, setTimes] = useState(0)
  const submit = async (form: FormData) => {
    const isDone = await run(async () => {
      await call<PatchAuthMeData, PatchAuthMeResponse>({
        ...{ method: 'PATCH', url: '/auth/me/' },
        body: {
          first_name: textIn(form, 'first_name'),
          last_name: textIn(form, 'last_name'),
          phone: textIn(form, 'phone'),
          locale: form.get('locale') === 'en' ? 'en' : 'fr',
        },
      })
      await readSession()
    })
    if (isDone) setTimes(times + 1)
  }
  const text = (name: 'first_name' | 'last_name' | 'phone', label: string, more: object) => (
    <TextField
      label={label}
      error={errorAt(failure, name)}
      name={name}
      defaultValue={member[name]}
      {...more}
    />
  )
  return (
    <>
      <EmailProof member={member} />
      <Form
        name={t('account')}
        failure={failure}
        fields={['first_name', 'last_name', 'phone', 'locale']}
        onSubmit={submit}
      >
        {text('first_name', t('first_name'), { autoComplete: 'given-name', maxLength: 100 })}
        {text('last_name', t('last_name'), { autoComplete: 'family-name', maxLength: 100 })}
        {text('phone', t('phone'), { type: 'tel', autoComplete: 'tel', hint: t('optional') })}
        <SelectField
          label={t('me_language')}
          name="locale"
          defaultValue={member.locale}
          options={[
            ['fr', t('language_fr')],
            ['en', t('language_en')],
          ]}
        />
        <Button type="submit" busy={isBusy}>
          {t('save')}
        </Button>
        <Saved times={times} />
      </Form>
      <div className="after">
        <ThemeChoice />
        <p className="mute small">{t('theme_how')}</p>
      </div>
      <p>
        <Link href="/me/security">{t('security')}</Link>
      </p>
    </>
  )
}

/** An owner's address must be proven before live opens; the first e-mail went with signing up. */
function EmailProof({ member }: Pick<MeView, 'member'>) {
  const { failure, isBusy, run } = useAct()
  const [isSent, setIsSent] = useState(false)
  const resend = () => {
    setIsSent(false)
    return run(async () => {
      const { sent } = await call<PostAuthEmailResendData, PostAuthEmailResendResponse>({
        ...{ method: 'POST', url: '/auth/email/resend/' },
      })
      setIsSent(sent)
      // It was confirmed meanwhile, elsewhere.
      if (!sent) await lookAtSession({ isBackground: false })
    })
  }
  return (
    <section className="outcome">
      <p className="sum">
        <bdi>{member.email}</bdi>
        <Status
          of={
            member.email_verified
              ? { shape: 'done', word: 'email_proven' }
              : { shape: 'held', word: 'email_unproven' }
          }
        />
      </p>
      {!member.email_verified && (
        <>
          <p>{t('live_email_sent', { email: member.email })}</p>
          <div className="acts">
            <Refused failure={failure} />
            <Button look="plain" busy={isBusy} onClick={resend}>
              {t('email_resend')}
            </Button>
            <p role="status">{isSent && t('email_sent', { email: member.email })}</p>
          </div>
        </>
      )}
    </section>
  )
}

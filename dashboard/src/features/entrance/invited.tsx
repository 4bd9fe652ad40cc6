// An invitation: who invites, to what, and what that role may do, before anything is accepted.

import { useEffect, useState } from 'react'
import type {
  InvitationPreview,
  PostAuthInvitationsAcceptData,
  PostAuthInvitationsAcceptResponse,
  PostAuthInvitationsPreviewData,
  PostAuthInvitationsPreviewResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { isolated } from '../../format/name.ts'
import { useEmailToken } from '../../parts/email-token.ts'
import { SignInForm } from '../../parts/sign-in.tsx'
import { useAct } from '../../ui/act.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Button, errorAt, Form, secretIn, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { Asked, DeadLink, Done, EntrancePage, isDead } from './entrance-page.tsx'
import { NewPassword } from './new-password.tsx'

export function Invited() {
  const token = useEmailToken()
  const { failure, run } = useAct()
  const [preview, setPreview] = useState<InvitationPreview>()
  const [isIn, setIsIn] = useState(false)
  const ask = () =>
    run(async () => {
      const found = await call<PostAuthInvitationsPreviewData, PostAuthInvitationsPreviewResponse>({
        ...{ method: 'POST', url: '/auth/invitations/preview/', body: { token } },
      })
      setPreview(found)
    })
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each e-mail
  useEffect(() => {
    if (token !== '') ask()
  }, [token])
  if (isIn && preview !== undefined) return <Accepted preview={preview} />
  return (
    <EntrancePage title={t('invited_title')}>
      <DeadLink failure={failure} token={token} next={t('invited_again')} />
      {!isDead(failure, token) &&
        (preview === undefined ? (
          <Asked failure={failure} again={ask} />
        ) : (
          <Accept preview={preview} token={token} onAccepted={() => setIsIn(true)} />
        ))}
    </EntrancePage>
  )
}

const Accepted = ({ preview: { email, merchant_name } }: { preview: InvitationPreview }) => (
  <EntrancePage title={t('invited_in', { merchant: isolated(merchant_name) })}>
    <Done>
      <p>{t('invited_sign_in')}</p>
    </Done>
    <SignInForm
      email={email}
      onSignedIn={() => location.assign(location.pathname.replace(/[^/]+$/, ''))}
    />
  </EntrancePage>
)

type AcceptProps = Readonly<{ preview: InvitationPreview; token: string; onAccepted: () => void }>

function Accept({ preview, token, onAccepted }: AcceptProps) {
  const { failure, isBusy, run } = useAct()
  const isNew = !preview.has_account
  const submit = (form: FormData) =>
    run(async () => {
      const names = { first_name: textIn(form, 'first_name'), last_name: textIn(form, 'last_name') }
      await call<PostAuthInvitationsAcceptData, PostAuthInvitationsAcceptResponse>({
        ...{ method: 'POST', url: '/auth/invitations/accept/' },
        body: { token, password: secretIn(form), ...(isNew && names) },
      })
      onAccepted()
    })
  return (
    <>
      <Facts
        of={[
          [t('merchant'), preview.merchant_name],
          [t('email'), preview.email],
          [t('role'), t(`role_${preview.role}`)],
        ]}
      />
      <p>{t(`role_${preview.role}_how`)}</p>
      <Form
        name={t('invited_title')}
        failure={failure}
        fields={['password', 'first_name', 'last_name']}
        onSubmit={submit}
      >
        {isNew ? (
          <>
            <TextField
              label={t('first_name')}
              error={errorAt(failure, 'first_name')}
              name="first_name"
              autoComplete="given-name"
              maxLength={100}
              required
            />
            <TextField
              label={t('last_name')}
              error={errorAt(failure, 'last_name')}
              name="last_name"
              autoComplete="family-name"
              maxLength={100}
              required
            />
            <NewPassword isFirst error={errorAt(failure, 'password')} />
          </>
        ) : (
          <TextField
            label={t('password')}
            hint={t('invited_own_password')}
            error={errorAt(failure, 'password')}
            name="password"
            type="password"
            autoComplete="current-password"
            required
          />
        )}
        <Button type="submit" busy={isBusy}>
          {t('invited_act')}
        </Button>
      </Form>
    </>
  )
}

// Signing in: e-mail and password, then the six digits where a second factor is enrolled.

import { type ReactNode, useState } from 'react'
import { type Failure, failureIn } from '../data/call.ts'
import { type Credentials, readSession, signIn } from '../data/session.ts'
import { Button, errorAt, Form, secretIn, TextField, textIn } from '../ui/form.tsx'
import { Link } from '../ui/link.tsx'
import { t } from '../words/translate.ts'
import { CodeField } from './code-field.tsx'

export type SignInProps = Readonly<{
  email?: string
  onSignedIn?: (isSomebodyElse: boolean) => void
}>

export function SignInForm({ email = '', onSignedIn }: SignInProps) {
  const [failure, setFailure] = useState<Failure>()
  const [isBusy, setIsBusy] = useState(false)
  const [known, setKnown] = useState<Credentials>()
  const submit = async (form: FormData) => {
    if (isBusy) return
    const credentials = known ?? { email: textIn(form, 'email'), password: secretIn(form) }
    const totp = textIn(form, 'totp')
    setIsBusy(true)
    setFailure(undefined)
    try {
      const { isSomebodyElse } = await signIn({ ...credentials, ...(totp !== '' && { totp }) })
      onSignedIn?.(isSomebodyElse)
    } catch (error) {
      const failed = failureIn(error)
      if (failed === undefined) throw error
      const isCodeWanted = failed.is === 'refused' && failed.code === 'totp_required'
      if (isCodeWanted) setKnown(credentials)
      // The API says to programs what to send; a person has typed one that is not good.
      setFailure(isCodeWanted ? wrongCode(totp) : failed)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Form
      name={t('sign_in')}
      failure={failure}
      fields={['email', 'password', 'totp']}
      onSubmit={submit}
    >
      {known === undefined ? (
        <PasswordFields email={email} failure={failure} />
      ) : (
        <CodeField name="totp" failure={failure} takesFocus />
      )}
      <Button type="submit" busy={isBusy}>
        {t('sign_in')}
      </Button>
      {known !== undefined && (
        <Button look="plain" onClick={() => setKnown(undefined)}>
          {t('back')}
        </Button>
      )}
    </Form>
  )
}

const wrongCode = (totp: string): Failure | undefined =>
  totp === '' ? undefined : { is: 'fields', fields: { totp: [t('code_wrong')] } }

type FieldsProps = Readonly<{ failure: Failure | undefined }>

const PasswordFields = ({ email, failure }: FieldsProps & { email: string }) => (
  <>
    <TextField
      label={t('email')}
      error={errorAt(failure, 'email')}
      name="email"
      type="email"
      autoComplete="username"
      defaultValue={email}
      required
    />
    <TextField
      label={t('password')}
      error={errorAt(failure, 'password')}
      name="password"
      type="password"
      autoComplete="current-password"
      required
    />
  </>
)

export const SignInPage = ({ switcher }: Readonly<{ switcher: ReactNode }>) => (
  <main className="entry" id="main">
    <header>
      <b className="brand">Pirogue</b>
      {switcher}
    </header>
    <h1>{t('sign_in')}</h1>
    <SignInForm />
    <p className="after">
      <Link href="/forgot-password">{t('forgot_title')}</Link>
    </p>
    <p>
      <Link href="/register">{t('no_account')}</Link>
    </p>
  </main>
)

export const Unreached = () => (
  <main className="entry" id="main">
    <h1>{t('unreached_title')}</h1>
    <p>{t('unreached')}</p>
    <Button onClick={readSession}>{t('again')}</Button>
  </main>
)

// The second factor: a square to photograph and its first code, recovery codes to print, taken off
// again with the password and a code. Law: the codes are in this screen only, until it is left.

import { type ReactNode, useState } from 'react'
import type {
  GetAuthTotpRecoveryCodesData,
  GetAuthTotpRecoveryCodesResponse,
  PostAuthTotpConfirmData,
  PostAuthTotpConfirmResponse,
  PostAuthTotpDisableData,
  PostAuthTotpDisableResponse,
  PostAuthTotpEnrolData,
  PostAuthTotpEnrolResponse,
  PostAuthTotpRecoveryCodesData,
  PostAuthTotpRecoveryCodesResponse,
  TotpEnrolment,
} from '../../api/types.gen.ts'
import { call, type Failure } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { lookAtSession, readSession, useSession } from '../../data/session.ts'
import { CodeField } from '../../parts/code-field.tsx'
import { useAct } from '../../ui/act.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Button, errorAt, Form, secretIn, TextField, textIn } from '../../ui/form.tsx'
import { AskedFirst } from '../../ui/secret.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'

export function SecondFactorCard({ isOn }: { isOn: boolean }) {
  const [codes, setCodes] = useState<readonly string[]>()
  const close = () => {
    setCodes(undefined)
    // Where it could not be asked when they were made, the card would say that it is off.
    if (!isOn) lookAtSession({ isBackground: false }).catch(() => undefined)
  }
  return (
    <section className={codes === undefined ? undefined : 'alone'}>
      <h2>{t('second_factor')}</h2>
      <p>
        <Status
          of={
            isOn
              ? { shape: 'done', word: 'second_factor_on' }
              : { shape: 'held', word: 'second_factor_off' }
          }
        />
      </p>
      {codes !== undefined && <RecoveryCodes of={codes} onKept={close} />}
      {codes === undefined &&
        (isOn ? <Enrolled onCodes={setCodes} /> : <Enrol onCodes={setCodes} />)}
    </section>
  )
}

/** What is the person's own belongs to no merchant and no mode. */
const nowhere = { merchant: '', environment: 'SANDBOX' } as const

type CodesProps = Readonly<{ onCodes: (codes: readonly string[]) => void }>

const PasswordField = ({ failure }: { failure: Failure | undefined }) => (
  <TextField
    label={t('password')}
    error={errorAt(failure, 'password')}
    name="password"
    type="password"
    autoComplete="current-password"
    required
  />
)

/** The first code of a new telephone: no recovery code stands for it. */
const FirstCode = ({ failure }: { failure: Failure | undefined }) => (
  <TextField
    label={t('code')}
    error={errorAt(failure, 'code')}
    name="code"
    autoComplete="one-time-code"
    inputMode="numeric"
    autoCapitalize="none"
    maxLength={64}
    required
  />
)

function Enrol({ onCodes }: CodesProps) {
  const { failure, isBusy, run } = useAct()
  const [begun, setBegun] = useState<TotpEnrolment>()
  const begin = async (form: FormData) => {
    await run(async () => {
      const enrolment = await call<PostAuthTotpEnrolData, PostAuthTotpEnrolResponse>({
        ...{ method: 'POST', url: '/auth/totp/enrol/', body: { password: secretIn(form) } },
      })
      setBegun(enrolment)
    })
  }
  const confirm = async (form: FormData) => {
    await run(async () => {
      const enrolled = await call<PostAuthTotpConfirmData, PostAuthTotpConfirmResponse>({
        ...{ method: 'POST', url: '/auth/totp/confirm/', body: { code: textIn(form, 'code') } },
      })
      onCodes(enrolled.recovery_codes)
      await readSession()
      await readAgain('/auth/sessions/')
    })
  }
  if (begun === undefined) {
    return (
      <Form name={t('code_enrol')} failure={failure} fields={['password']} onSubmit={begin}>
        <p>{t('second_factor_why')}</p>
        <PasswordField failure={failure} />
        <Button type="submit" busy={isBusy}>
          {t('code_enrol')}
        </Button>
      </Form>
    )
  }
  return (
    <Form name={t('second_factor')} failure={failure} fields={['code']} onSubmit={confirm}>
      <p>{t('second_factor_scan')}</p>
      <p>
        <img
          className="qr"
          src={`data:image/svg+xml,${encodeURIComponent(begun.qr_svg)}`}
          alt={t('second_factor_square')}
          width="200"
          height="200"
        />
      </p>
      <p>
        {t('second_factor_by_hand')} <code>{begun.secret}</code>
      </p>
      <FirstCode failure={failure} />
      <Button type="submit" busy={isBusy}>
        {t('verify_act')}
      </Button>
    </Form>
  )
}

function Enrolled({ onCodes }: CodesProps) {
  const renew = async (form: FormData) => {
    const made = await call<PostAuthTotpRecoveryCodesData, PostAuthTotpRecoveryCodesResponse>({
      ...{
        method: 'POST',
        url: '/auth/totp/recovery-codes/',
        body: { code: textIn(form, 'code') },
      },
    })
    onCodes(made.recovery_codes)
  }
  const disable = async (form: FormData) => {
    await call<PostAuthTotpDisableData, PostAuthTotpDisableResponse>({
      ...{ method: 'POST', url: '/auth/totp/disable/' },
      body: { password: secretIn(form), code: textIn(form, 'code') },
    })
    await lookAtSession({ isBackground: false })
  }
  return (
    <>
      <CodesLeft />
      <Folded name={t('recovery_new')} how={t('recovery_new_how')} act={renew}>
        {(failure) => <CodeField name="code" failure={failure} />}
      </Folded>
      <Folded name={t('second_factor_remove')} how={t('second_factor_remove_how')} act={disable}>
        {(failure) => (
          <>
            <PasswordField failure={failure} />
            <CodeField name="code" failure={failure} />
          </>
        )}
      </Folded>
    </>
  )
}

/** Fewer are soon none, and then a lost phone shuts the account. */
const fewLeft = 3

/** Says nothing while it is not known: the card is whole without it. */
function CodesLeft() {
  const read = useRead<GetAuthTotpRecoveryCodesData, GetAuthTotpRecoveryCodesResponse>(nowhere, {
    url: '/auth/totp/recovery-codes/',
  })
  const count = read.data?.recovery_codes_left
  if (count === undefined) return null
  const isFew = count <= fewLeft
  return (
    <p className={isFew ? 'wrong' : 'mute'}>
      {t('recovery_left', { count })} {isFew && t('recovery_left_few')}
    </p>
  )
}

type FoldedProps = Readonly<{
  name: string
  how: string
  act: (form: FormData) => Promise<void>
  children: (failure: Failure | undefined) => ReactNode
}>

function Folded({ name, how, act, children }: FoldedProps) {
  const { failure, isBusy, run } = useAct()
  return (
    <details>
      <summary>{name}</summary>
      <Form
        name={name}
        failure={failure}
        fields={['password', 'code']}
        onSubmit={async (form) => {
          await run(() => act(form))
        }}
      >
        <p>{how}</p>
        {children(failure)}
        <Button type="submit" look="plain" busy={isBusy}>
          {name}
        </Button>
      </Form>
    </details>
  )
}

type KeptProps = Readonly<{ of: readonly string[]; onKept: () => void }>

function RecoveryCodes({ of, onKept }: KeptProps) {
  const session = useSession()
  const [isKept, setIsKept] = useState(false)
  const [isMissed, setIsMissed] = useState(false)
  return (
    <AskedFirst isKept={isKept} onKept={onKept}>
      {(keep) => (
        <div className="outcome printed">
          {'me' in session && <p className="on-paper">Pirogue · {session.me.member.email}</p>}
          <p className="said" role="status">
            {t('recovery_codes')}
          </p>
          <p>{t('recovery_codes_how')}</p>
          <ol className="recovery">
            {of.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ol>
          <div className="acts">
            <Button look="plain" onClick={() => window.print()}>
              {t('print')}
            </Button>
            <Copy text={of.join('\n')} name={t('copy')} />
          </div>
          <label className="choice">
            <input
              type="checkbox"
              checked={isKept}
              onChange={({ currentTarget: { checked } }) => setIsKept(checked)}
            />
            {t('recovery_kept')}
          </label>
          {isMissed && !isKept && (
            <p className="wrong" role="alert">
              {t('secret_keep_first')}
            </p>
          )}
          <Button onClick={() => (isKept ? keep() : setIsMissed(true))}>{t('continue')}</Button>
        </div>
      )}
    </AskedFirst>
  )
}

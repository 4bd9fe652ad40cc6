// A new secret in three steps: it is made and shown once; for 24 hours both sign; the reader says
// that theirs is deployed, and it signs alone.

import { type RefObject, useEffect, useRef, useState } from 'react'
import type {
  MerchantWebhook,
  PostMerchantWebhooksByIdRotateSecretData,
  PostMerchantWebhooksByIdRotateSecretResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { serviceNow } from '../../data/clock.ts'
import { Curl } from '../../parts/curl.tsx'
import { useHere } from '../../parts/place.tsx'
import { Asking } from '../../ui/asking.tsx'
import { SecretDialog } from '../../ui/secret.tsx'
import { t } from '../../words/translate.ts'

type Props = Readonly<{ of: MerchantWebhook; read: () => Promise<void> }>

type Body = NonNullable<PostMerchantWebhooksByIdRotateSecretData['body']>

/** What answers with the new secret, or says that it signs alone. */
function useRotate({ id }: MerchantWebhook): (body: Body) => Promise<string | undefined> {
  const { place } = useHere()
  return async (body) => {
    const rotated = await call<
      PostMerchantWebhooksByIdRotateSecretData,
      PostMerchantWebhooksByIdRotateSecretResponse
    >({
      ...{ method: 'POST', url: '/merchant-webhooks/{id}/rotate-secret/', path: { id } },
      ...{ place, body },
    })
    return rotated.signing_secret
  }
}

const signBoth = ({ overlap_until }: MerchantWebhook): boolean =>
  overlap_until !== null && Date.parse(overlap_until) > serviceNow()

/** A new secret, shown by whoever stays when its button is drawn anew: a row becomes a card. */
export function useNewSecret() {
  const [secret, setSecret] = useState<string>()
  const shown = secret !== undefined && (
    <SecretDialog name={t('hook_secret')} secret={secret} onKept={() => setSecret(undefined)} />
  )
  return { shown, show: setSecret }
}

type NewSecretProps = Props & Readonly<{ onMade: (secret: string | undefined) => void }>

/** The button and its question: in the list of webhooks as well. */
export function NewSecret({ of, read, onMade }: NewSecretProps) {
  const rotate = useRotate(of)
  const make = async () => {
    const secret = await rotate({})
    // One that is shown once waits for nothing more.
    void read()
    onMade(secret)
  }
  return (
    <Asking
      name={t('hook_rotate')}
      text={t(signBoth(of) ? 'hook_rotate_again_how' : 'hook_rotate_how')}
      act={make}
    />
  )
}

/** The button that ends the overlap of the new secret that its reader has deployed, of no other. */
function InPlace({ of, read }: Props) {
  const rotate = useRotate(of)
  const asRead = useRef<string>(undefined)
  const confirm = () =>
    rotate({ confirm: true, ...(asRead.current && { overlap_until: asRead.current }) })
  return (
    <Asking
      name={t('hook_rotation_end')}
      text={t('hook_rotation_end_how')}
      // Refused because another is pending by now: that one is shown.
      act={() => confirm().finally(read)}
    >
      <Until at={of.overlap_until} asRead={asRead} />
    </Asking>
  )
}

type UntilProps = Readonly<{ at: string | null; asRead: RefObject<string | undefined> }>

/** The end that names the secret, as it was when the question was opened: the list is read anew. */
function Until({ at, asRead }: UntilProps) {
  const { moment } = useHere()
  const [first] = useState(at)
  useEffect(() => {
    asRead.current = first ?? undefined
  }, [first, asRead])
  return first !== null && <p className="mute">{t('hook_both_sign', { at: moment(first) })}</p>
}

export function Rotation({ of, read }: Props) {
  const { moment } = useHere()
  const { shown, show } = useNewSecret()
  const isBoth = signBoth(of)
  return (
    <section>
      {shown}
      <h2>{t('hook_rotation')}</h2>
      <ol className="steps">
        <li aria-current={isBoth ? undefined : 'step'}>{t('hook_rotation_1')}</li>
        <li aria-current={isBoth ? 'step' : undefined}>{t('hook_rotation_2')}</li>
        <li>{t('hook_rotation_3')}</li>
      </ol>
      {isBoth && of.overlap_until !== null && (
        <p className="said">{t('hook_both_sign', { at: moment(of.overlap_until) })}</p>
      )}
      <div className="acts">
        {isBoth && <InPlace of={of} read={read} />}
        <NewSecret of={of} read={read} onMade={show} />
      </div>
      <Curl<PostMerchantWebhooksByIdRotateSecretData>
        name={t('curl_of', { name: t('hook_rotate') })}
        of={{
          ...{ method: 'POST', url: '/merchant-webhooks/{id}/rotate-secret/', path: { id: of.id } },
          body: {},
        }}
      />
    </section>
  )
}

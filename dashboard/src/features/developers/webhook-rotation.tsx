// A new secret in three steps: it is made and shown once; for 24 hours both sign; the reader says
// that theirs is deployed, and it signs alone.

import { useState } from 'react'
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

type Rotate = (isConfirmed: boolean) => Promise<string | undefined>

/** What answers with the new secret, or says that it signs alone. */
function useRotate({ of, read }: Props): Rotate {
  const { place } = useHere()
  return async (isConfirmed) => {
    const rotated = await call<
      PostMerchantWebhooksByIdRotateSecretData,
      PostMerchantWebhooksByIdRotateSecretResponse
    >({
      ...{ method: 'POST', url: '/merchant-webhooks/{id}/rotate-secret/', path: { id: of.id } },
      ...{ place, body: isConfirmed ? { confirm: true } : {} },
    })
    const reading = read()
    // A secret that is shown once waits for nothing more.
    if (isConfirmed) await reading
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
export function NewSecret({ onMade, ...props }: NewSecretProps) {
  const rotate = useRotate(props)
  return (
    <Asking
      name={t('hook_rotate')}
      text={t(signBoth(props.of) ? 'hook_rotate_again_how' : 'hook_rotate_how')}
      act={async () => onMade(await rotate(false))}
    />
  )
}

export function Rotation({ of, read }: Props) {
  const { moment } = useHere()
  const rotate = useRotate({ of, read })
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
        {isBoth && (
          <Asking
            name={t('hook_rotation_end')}
            text={t('hook_rotation_end_how')}
            act={() => rotate(true)}
          />
        )}
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

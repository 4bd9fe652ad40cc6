// A new secret in three steps: it is made and shown once; for 24 hours both sign; the reader says
// that theirs is deployed, and it signs alone.

import { useState } from 'react'
import type {
  MerchantWebhook,
  PostMerchantWebhooksByIdRotateSecretData,
  PostMerchantWebhooksByIdRotateSecretResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { useHere } from '../../parts/place.tsx'
import { Asking } from '../../ui/act.tsx'
import { SecretDialog } from '../../ui/secret.tsx'
import { t } from '../../words/translate.ts'

type Props = Readonly<{ of: MerchantWebhook; read: () => Promise<void> }>

export function Rotation({ of, read }: Props) {
  const { place, moment } = useHere()
  const [secret, setSecret] = useState<string>()
  const rotate = async (isConfirmed: boolean) => {
    const rotated = await call<
      PostMerchantWebhooksByIdRotateSecretData,
      PostMerchantWebhooksByIdRotateSecretResponse
    >({
      ...{ method: 'POST', url: '/merchant-webhooks/{id}/rotate-secret/', path: { id: of.id } },
      ...{ place, body: isConfirmed ? { confirm: true } : {} },
    })
    if (!isConfirmed) setSecret(rotated.signing_secret)
    await read()
  }
  const isBoth = of.overlap_until !== null && new Date(of.overlap_until) > new Date()
  return (
    <section>
      <h2>{t('hook_rotation')}</h2>
      {secret !== undefined && (
        <SecretDialog name={t('hook_secret')} secret={secret} onKept={() => setSecret(undefined)} />
      )}
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
        <Asking
          name={t('hook_rotate')}
          text={t(isBoth ? 'hook_rotate_again_how' : 'hook_rotate_how')}
          act={() => rotate(false)}
        />
      </div>
    </section>
  )
}

// The receipt of a payment: its address, to be sent or shown on a counter; withdrawn, for good. It
// is made when it is first asked for, so the address is fetched by a press and by no visit.

import { useState } from 'react'
import type {
  GetTransactionsByIdReceiptData,
  GetTransactionsByIdReceiptResponse,
  PostTransactionsByIdReceiptRevokeData,
  PostTransactionsByIdReceiptRevokeResponse,
} from '../../api/types.gen.ts'
import { type ContentOf, call } from '../../data/call.ts'
import { GuardedButton, Offer } from '../../parts/act.tsx'
import { useHere } from '../../parts/place.tsx'
import { Refused, useAct } from '../../ui/act.tsx'
import { Copy } from '../../ui/copy.tsx'
import { t } from '../../words/translate.ts'

type Receipt = ContentOf<GetTransactionsByIdReceiptResponse>

export function Receipt({ id }: { id: string }) {
  const { place } = useHere()
  const { isBusy, failure, run } = useAct()
  const [receipt, setReceipt] = useState<Receipt>()
  const read = async () => {
    setReceipt(
      await call<GetTransactionsByIdReceiptData, GetTransactionsByIdReceiptResponse>({
        ...{ method: 'GET', url: '/transactions/{id}/receipt/', path: { id }, place },
      }),
    )
  }
  return (
    <>
      <Refused failure={failure} />
      {receipt === undefined ? (
        <GuardedButton
          name={t('receipt_show')}
          whyNot={undefined}
          busy={isBusy}
          onClick={() => run(read)}
        />
      ) : (
        <Shown of={receipt} again={read} />
      )}
    </>
  )
}

function Shown({ of, again }: { of: Receipt; again: () => Promise<void> }) {
  const { place, moment, whyNot } = useHere()
  const path = { id: of.transaction }
  const withdraw = async () => {
    await call<PostTransactionsByIdReceiptRevokeData, PostTransactionsByIdReceiptRevokeResponse>({
      ...{ method: 'POST', url: '/transactions/{id}/receipt/revoke/', path, place },
    })
    await again()
  }
  if (of.revoked_at !== null) {
    return <p role="status">{t('receipt_withdrawn', { at: moment(of.revoked_at) })}</p>
  }
  return (
    <>
      <a className="button act" href={of.url} target="_blank" rel="noreferrer">
        {t('receipt_open')}
      </a>
      <Copy text={of.url} name={t('receipt_copy')} />
      <Offer
        name={t('receipt_withdraw')}
        title={t('receipt_withdraw')}
        act={t('receipt_withdraw_act')}
        whyNot={whyNot('payins')}
        doing={withdraw}
      >
        <p>{t('receipt_withdraw_how')}</p>
      </Offer>
    </>
  )
}

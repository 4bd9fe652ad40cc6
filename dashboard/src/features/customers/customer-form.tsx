// A new customer, by whom they may be reached; whoever pays becomes one without this.

import type { PostCustomersData, PostCustomersResponse } from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAgain } from '../../data/queries.ts'
import { useGo } from '../../parts/act.tsx'
import { Allowed } from '../../parts/allowed.tsx'
import { useHere } from '../../parts/place.tsx'
import { Page } from '../../parts/shell.tsx'
import { useAct } from '../../ui/act.tsx'
import { Button, Form } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { CustomerFields, customerFields, customerIn } from './customer-fields.tsx'

export default function CustomerForm() {
  return (
    <Page title={t('customer_new')}>
      <Allowed right="customers">
        <NewCustomer />
      </Allowed>
    </Page>
  )
}

function NewCustomer() {
  const { place } = useHere()
  const go = useGo()
  const { isBusy, failure, run } = useAct()
  const make = async (form: FormData) => {
    const made = await call<PostCustomersData, PostCustomersResponse>({
      ...{ method: 'POST', url: '/customers/', body: customerIn(form), place },
    })
    await readAgain('/customers/')
    go(`/customers/${made.id}`)
  }
  return (
    <Form
      name={t('customer_new')}
      failure={failure}
      fields={customerFields}
      onSubmit={(form) => run(() => make(form))}
    >
      <CustomerFields failure={failure} />
      <Button type="submit" busy={isBusy}>
        {t('customer_make')}
      </Button>
    </Form>
  )
}

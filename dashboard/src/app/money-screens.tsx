// The screens of money and what is sold, each by its address; loaded when it is opened. What is
// named comes before what is found by its id.

import type { ReactNode } from 'react'
import { screen } from './screen.ts'

const TransactionList = screen(() => import('../features/transactions/transaction-list.tsx'))
const TransactionDetail = screen(
  () => import('../features/transactions/transaction-detail.tsx'),
  ['screens', 'acts'],
)
const RefundList = screen(() => import('../features/transactions/refund-list.tsx'))
const RefundForm = screen(() => import('../features/transactions/refund-form.tsx'))
const PayoutForm = screen(() => import('../features/payouts/payout-form.tsx'))
const Limits = screen(() => import('../features/payouts/limits.tsx'))
const CollectForm = screen(() => import('../features/collect/collect-form.tsx'))
const Approvals = screen(() => import('../features/payouts/approvals.tsx'))
const BalanceList = screen(() => import('../features/balances/balance-list.tsx'))
const TopUpForm = screen(() => import('../features/balances/top-up-form.tsx'))
const BalanceDetail = screen(() => import('../features/balances/balance-detail.tsx'))
const Statement = screen(() => import('../features/balances/statement.tsx'))
const SettlementList = screen(() => import('../features/settlements/settlement-list.tsx'))
const SettlementForm = screen(() => import('../features/settlements/settlement-form.tsx'))
const MethodList = screen(() => import('../features/settlements/method-list.tsx'))
const MethodForm = screen(() => import('../features/settlements/method-form.tsx'))
const SettlementDetail = screen(() => import('../features/settlements/settlement-detail.tsx'))
const TransferList = screen(() => import('../features/transfers/transfer-list.tsx'))
const TransferForm = screen(() => import('../features/transfers/transfer-form.tsx'))
const TransferDetail = screen(() => import('../features/transfers/transfer-detail.tsx'))
const CustomerList = screen(() => import('../features/customers/customer-list.tsx'))
const CustomerForm = screen(() => import('../features/customers/customer-form.tsx'))
const CustomerDetail = screen(() => import('../features/customers/customer-detail.tsx'))
const CheckoutList = screen(() => import('../features/checkouts/checkout-list.tsx'))
const CheckoutForm = screen(() => import('../features/checkouts/checkout-form.tsx'))
const CheckoutDetail = screen(() => import('../features/checkouts/checkout-detail.tsx'))
const DaySheet = screen(() => import('../features/reports/day-sheet.tsx'))
const SeriesPage = screen(() => import('../features/reports/series.tsx'))
const Files = screen(() => import('../features/reports/files.tsx'))
const Networks = screen(() => import('../features/networks/networks.tsx'))
const Prices = screen(() => import('../features/prices/prices.tsx'))

export type Screen = Readonly<{ path: string; show: (id: string) => ReactNode }>

export const moneyScreens: readonly Screen[] = [
  { path: 'payments', show: () => <TransactionList kind="payments" /> },
  { path: 'payments/new', show: () => <CollectForm /> },
  { path: 'payments/refunds', show: () => <RefundList /> },
  { path: 'payments/:id', show: (id) => <TransactionDetail key={id} kind="payments" id={id} /> },
  { path: 'payments/:id/refund', show: (id) => <RefundForm key={id} id={id} /> },
  { path: 'payouts', show: () => <TransactionList key="payouts" kind="payouts" /> },
  { path: 'payouts/new', show: () => <PayoutForm /> },
  { path: 'payouts/approvals', show: () => <Approvals /> },
  { path: 'payouts/limits', show: () => <Limits /> },
  { path: 'payouts/:id', show: (id) => <TransactionDetail key={id} kind="payouts" id={id} /> },
  { path: 'balances', show: () => <BalanceList /> },
  { path: 'balances/top-up', show: () => <TopUpForm /> },
  { path: 'balances/:id', show: (id) => <BalanceDetail key={id} country={id} /> },
  { path: 'balances/:id/statement', show: (id) => <Statement key={id} country={id} /> },
  { path: 'settlements', show: () => <SettlementList /> },
  { path: 'settlements/new', show: () => <SettlementForm /> },
  { path: 'settlements/methods', show: () => <MethodList /> },
  { path: 'settlements/methods/new', show: () => <MethodForm /> },
  { path: 'settlements/:id', show: (id) => <SettlementDetail key={id} id={id} /> },
  { path: 'transfers', show: () => <TransferList /> },
  { path: 'transfers/new', show: () => <TransferForm /> },
  { path: 'transfers/:id', show: (id) => <TransferDetail key={id} id={id} /> },
  { path: 'customers', show: () => <CustomerList /> },
  { path: 'customers/new', show: () => <CustomerForm /> },
  { path: 'customers/:id', show: (id) => <CustomerDetail key={id} id={id} /> },
  { path: 'checkouts', show: () => <CheckoutList /> },
  { path: 'checkouts/new', show: () => <CheckoutForm /> },
  { path: 'checkouts/:id', show: (id) => <CheckoutDetail key={id} id={id} /> },
  { path: 'reports', show: () => <DaySheet /> },
  { path: 'reports/files', show: () => <Files /> },
  { path: 'reports/series', show: () => <SeriesPage /> },
  { path: 'networks', show: () => <Networks /> },
  { path: 'prices', show: () => <Prices /> },
]

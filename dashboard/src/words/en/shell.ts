// The words of what is said around the screens, in English.

export const shell = {
  live_done: 'Done',
  live_email: 'Your e-mail address',
  live_email_prove: 'Confirm the address',
  live_email_sent:
    'We sent you an e-mail at {email}: open its link to confirm the address. Look in your spam ' +
    'folder too.',
  live_later: 'Next',
  live_looked_at: 'Under way',
  live_missing: 'To do',
  live_not_open: 'Before you can take real money',
  live_papers: 'Your documents',
  live_papers_send: 'Send documents',
  live_refused: 'Refused',
  live_review: 'Review of your file',
  new_version: 'A new version is ready. Reload when you like.',
  offline_as_of: 'No connection: nothing is sent. What you see is from {at}.',
  reload: 'Reload',
  session_ends: 'Your session is about to end',
  session_ends_for_good:
    'For safety you sign in again at least every 7 days. What you have started stays here.',
  session_ends_idle:
    'The dashboard has not been used for a while. For safety it is about to close.',
  session_left: '{seconds} s left.',
  session_stay: 'Stay signed in',
  too_many_calls: 'Too many requests within a minute: resuming in {seconds} s.',
}

// The words of the entrances, in English: signing up, new passwords, what e-mails lead to.

export const entrance = {
  email_where: 'Look in your spam folder too. The link opens on any device.',
  email_without_token: 'Open this page by the link in the e-mail: without it, it can do nothing.',
  forgot_how: 'We will e-mail you a link that works once, within an hour.',
  forgot_send: 'Send the link',
  invited_act: 'Accept',
  invited_again: 'Ask the person who invited you to send another one.',
  invited_in: 'You are a member of {merchant}',
  invited_own_password: 'The one of your account: you already have one.',
  invited_sign_in: 'Sign in with this password.',
  invited_title: 'Accept the invitation',
  keep_act: 'Stop the removal',
  keep_again: 'Sign in to see whether your second factor is still there.',
  keep_done: 'Your second factor stays. If you did not request this, change your password.',
  keep_how: 'Its removal was requested. If that was not you, stop it here.',
  keep_title: 'Keep your second factor',
  register_act: 'Create the account',
  register_how: 'Test mode opens at once. Live mode opens once your documents are verified.',
  register_title: 'Create an account',
  reset_done: 'Your password has been changed. Sign in with the new one.',
  reset_how: 'You will be signed out on every device.',
  reset_title: 'Choose a new password',
  to_sign_in: 'Go to sign-in',
  verify_again: 'Sign in: you can ask for a new e-mail from your account.',
  verify_choose: 'An e-mail asks you to choose a new password too.',
  verify_done: 'Your address is confirmed.',
  verify_how:
    'Your password shows that the account is yours. You can confirm without it, but what ' +
    'someone else may have added to the account is then removed.',
  verify_password_hint: 'Recommended.',
  verify_title: 'Confirm your e-mail address',
}

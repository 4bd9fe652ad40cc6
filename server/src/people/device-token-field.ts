// The device token as login takes and answers it, for members and for staff alike.

import { Type } from 'typebox'

export const deviceTokenField = Type.Optional(
  Type.String({
    maxLength: 128,
    description:
      'The `device_token` of an earlier login on this device. It grants no access: it only ' +
      'keeps password-guessing by others from slowing down logins from this device.',
  }),
)

export const DeviceTokenSchema = Type.String({
  description:
    'Keep it on this device and send it with the next login. It expires when the password ' +
    'changes, or after 180 days.',
})

export const deviceTokenExample =
  'dev_1795000000.q0v1Z3mT9bC4nR8sW1yD6f.X7pZ0kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKqPs'

// What the server understands of a route beyond `Route`: all optional, so that every Route is one.

import type { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import type { Caller, Input, Reply, Route } from './route.ts'

/** An answer that is no JSON: CSV, PDF. It has no envelope (contract 1.2). */
export type FileReply = Readonly<{
  status: number
  file: Readable | Uint8Array | string
  content_type: string
  /** Sent as an attachment of this name. */
  filename?: string
  headers?: Record<string, string>
}>

export type ServedRoute = Omit<Route, 'handler'> &
  Readonly<{
    /**
     * Runs after the scope and before the body is read, where the IP rule belongs (contract 4.3).
     */
    guard?: (caller: Caller) => Promise<void>
    /** The body is one file of these content types, given to the handler as a Buffer. */
    upload?: Readonly<{ content_types: readonly string[]; bytes_max: number }>
    /** Other forms of the success that the query may request, by media type. */
    also?: Readonly<Record<string, TSchema>>
    handler: (input: Input<never>) => Promise<ServedReply>
  }>

export type ServedReply = Reply | FileReply

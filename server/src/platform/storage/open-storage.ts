// The storage that the configuration names: a bucket where one is set, else a folder beside our
// other data.

import path from 'node:path'
import { folderStorage } from './folder.ts'
import { type BucketSettings, bucketStorage } from './s3.ts'
import { type ClamdAddress, clamdScanner } from './scan.ts'
import type { Storage } from './storage.ts'

/** No bucket: a folder in `data_dir`. */
type Place = Readonly<{ bucket: BucketSettings | null; data_dir: string }>

export const openStorage = ({ bucket, data_dir }: Place): Storage =>
  bucket === null
    ? folderStorage(path.join(path.resolve(data_dir), 'storage'))
    : bucketStorage(bucket)

/** How much may be kept, of one merchant and in all. */
type Uploads = Readonly<{ bytes_max: number; merchant_bytes_max: number }>
type Guards = Readonly<{ clamd: ClamdAddress | null; uploads: Uploads }>

/** What guards the storage: the malware scanner, and how much may be kept. */
export const guardsOf = ({ clamd, uploads }: Guards) => ({
  scanner: clamd === null ? null : clamdScanner(clamd),
  uploads,
})

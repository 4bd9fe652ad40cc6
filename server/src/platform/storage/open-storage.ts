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

/** What guards the storage: the malware scanner, where there is one. */
export const scannerOf = (clamd: ClamdAddress | null) =>
  clamd === null ? null : clamdScanner(clamd)

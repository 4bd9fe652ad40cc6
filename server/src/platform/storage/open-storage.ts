// The storage that the configuration names: a bucket where one is set, else a folder beside our
// other data.

import path from 'node:path'
import type { Config } from '../config.ts'
import { folderStorage } from './folder.ts'
import { bucketStorage } from './s3.ts'
import { clamdScanner } from './scan.ts'
import type { Storage } from './storage.ts'

export const openStorage = ({ bucket, data_dir }: Pick<Config, 'bucket' | 'data_dir'>): Storage =>
  bucket === null
    ? folderStorage(path.join(path.resolve(data_dir), 'storage'))
    : bucketStorage(bucket)

/** What guards the storage: the malware scanner, and how much may be kept. */
export const guardsOf = ({ clamd, uploads }: Pick<Config, 'clamd' | 'uploads'>) => ({
  scanner: clamd === null ? null : clamdScanner(clamd),
  uploads,
})

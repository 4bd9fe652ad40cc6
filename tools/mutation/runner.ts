// Stryker asks which tests failed. A test file that a mutant keeps from being loaded has no tests,
// so it would pass for one that noticed nothing: here it gets a test, which fails with it.

import { test } from 'vitest'
import { VitestTestRunner } from 'vitest/runners'

export default class LoadingCounts extends VitestTestRunner {
  override async importFile(path: string, source: 'collect' | 'setup'): Promise<void> {
    try {
      await super.importFile(path, source)
    } catch (error) {
      if (source === 'setup') throw error
      test('the file loads', () => {
        throw error
      })
    }
  }
}

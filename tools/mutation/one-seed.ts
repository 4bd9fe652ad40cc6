// Loaded before each test file of a mutation run: properties draw the same examples every time, and
// a failed one is not shrunk, because only that it failed is asked for.
import fc from 'fast-check'

fc.configureGlobal({ seed: 20_261_121, endOnFailure: true })

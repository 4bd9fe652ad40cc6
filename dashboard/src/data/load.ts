// The dashboard's own files, which come when they are needed. A network blinks, so each is asked
// for twice; a newer build may have others, and then the page is loaded anew. Law: once for each
// build, so that nothing loads in a circle, and only for whoever goes to a screen: what is typed
// stays.

import { isServed } from './call.ts'
import { isOnline } from './connection.ts'

const shelf = 'pirogue-loaded-anew'
const pause_ms = 700

/** A browser keeps what failed as failed, under its name; some errors say which file it was. */
export async function loadTwice<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    await new Promise((done) => setTimeout(done, pause_ms))
    const [file] = /https?:\/\/\S+\.js/.exec(String(error)) ?? []
    return await (file === undefined ? load() : import(/* @vite-ignore */ `${file}?again`))
  }
}

/** What a screen is made of; if it is gone, the page is loaded anew, and this never ends. */
export async function loadScreen<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    // Without a network, or with nobody who answers, a page would be left for none.
    if (!isOnline() || !(await isServed()) || !isFirstTime()) throw error
    location.reload()
    return await new Promise(() => undefined)
  }
}

/** Of the build that this page is of, named as its page names it. A tab that keeps nothing: no. */
function isFirstTime(): boolean {
  const build = document.querySelector('script[src]')?.getAttribute('src') ?? ''
  try {
    const isFirst = sessionStorage.getItem(shelf) !== build
    sessionStorage.setItem(shelf, build)
    return isFirst
  } catch {
    return false
  }
}

// How every page looks: one small style of our own, at any width and size of text, in the dark, on
// paper, and in the reader's own colours (forced-colors). The dashboard has the same colours and
// sizes. The merchant's colour comes as variables beside it.

import { type Inline, inline } from '../platform/html.ts'
import { isColour, legibleOn, paper, platform_colour, textOn } from './colour.ts'

/** As many tiles as the style below can distinguish: what is chosen shows its own sum. */
export const tiles_with_sums = 8

const numbers = Array.from({ length: tiles_with_sums }, (_, at) => at + 1)

/** The sum of the tile that is checked; where the browser knows no `:has`, the plain words. */
const sums = `.f:not(.f0){display:none}form:has(.tiles :checked) .f0{display:none}${numbers
  .map((at) => `form:has(.n${at}:checked) .f${at}`)
  .join()}{display:inline}`

// Paper, raised, ink, mute, line, hair, focus, then the grounds and inks of what has a meaning.
const light =
  `--p:${paper.light};--r:#f3f5f6;--t:#1b1f23;--m:#555b61;--l:#7f858b;--h:#d5dadd;--f:#0b5cad;` +
  '--e:#b00020;--eg:#fdeaec;--k:#0b6b4f;--kg:#e3f4ec;--w:#5c3a00;--wg:#fff3d9;' +
  '--bt:#5c3a00;--bg:#ffd98a'
const dark =
  `--p:${paper.dark};--r:#20252a;--t:#f1f3f4;--m:#b4bac0;--l:#7c8389;--h:#3a4147;--f:#86bdf7;` +
  '--e:#ff9a9a;--eg:#43191e;--k:#5fd3a6;--kg:#12342a;--w:#f0b64a;--wg:#3a2b0c;' +
  '--bt:#2b1a00;--bg:#f0b64a'

export type Theme = 'light' | 'dark'

/** The reader's own theme, or one for a page that is only looked at. */
const schemes = {
  readers:
    `:root{color-scheme:light dark;scroll-padding:5rem 0;${light}}` +
    `@media(prefers-color-scheme:dark){:root{${dark}}}`,
  light: `:root{color-scheme:light;${light}}`,
  dark: `:root{color-scheme:dark;${dark}}`,
}

const rules = `
*{box-sizing:border-box}
body{margin:0;background:var(--p);color:var(--t);font:1rem/1.4 system-ui,sans-serif;
font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
main,header,footer{max-width:28rem;margin:0 auto;padding:0 1rem}
main{padding-bottom:1rem}
header{display:flex;align-items:center;justify-content:flex-end;gap:.75rem;padding:.25rem 1rem}
header b{flex:1;line-height:1.2}
header a{padding:.75rem 0}
footer{color:var(--m);font-size:.8125rem;text-align:center;padding:.5rem 1rem 1.5rem}
footer p{margin:0;text-wrap:balance}
#contact a{margin:0 .375rem}
h1{font-size:1.375rem;line-height:1.25;margin:.25rem 0}
h2{font-size:1rem;margin:0 0 .25rem}
.sum{font-size:2rem;font-weight:700;line-height:1.2;margin:0}
h1 .sum{display:inline-block}
p,dl,ul,ol{margin:0 0 .75rem}
a{color:var(--a)}
svg,img{flex:none;display:block}
img{max-width:6rem;height:2rem;object-fit:contain}
.mute,dt,small,.hint{color:var(--m)}
small,.hint,.pin{font-size:.8125rem}
.note,.bad,.wary{border-radius:.5rem;padding:.75rem;margin:0 0 .75rem;border:1px solid transparent}
.note{background:var(--r)}
.wary{background:var(--wg);color:var(--w)}
.bad{background:var(--eg);color:var(--e)}
.bad a,.bad p,.bad ul{color:inherit}
.note p:last-child,.wary p:last-child,.bad p:last-child,.bad ul,dd,.err,.hint{margin:0}
.bad ul{padding-left:1.25rem}
.test{background:var(--bg);color:var(--bt);font-size:.8125rem;text-align:center;padding:.25rem 1rem}
.err{color:var(--e);font-weight:600}
.line{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:0 .75rem}
dl{margin:1rem 0}
dl div{display:flex;gap:1rem;justify-content:space-between;padding:.375rem 0;
border-top:1px solid var(--h)}
dt{flex:none;max-width:45%}
dd{font-weight:600;text-align:right;text-wrap:balance;min-width:0}
fieldset{border:0;padding:0;margin:0 0 .5rem;min-width:0}
legend,label{font-weight:600;padding:0;unicode-bidi:isolate}
legend{margin-bottom:.25rem}
.field{margin:0 0 .5rem}
input,select,button,.button{font:inherit;width:100%;min-height:3rem;border-radius:.5rem;
padding:.5rem .75rem}
textarea{font:inherit;width:100%}
input,select,textarea,.tel{background:var(--p);color:var(--t);border:1px solid var(--l);
border-radius:.5rem}
.field input,.field select{margin-top:.25rem}
.tel{display:flex;align-items:center;margin-top:.25rem}
.tel span{padding-left:.75rem;color:var(--m);white-space:nowrap;font-size:1.25rem}
.field .tel input{border:0;margin:0;background:none;min-width:0;padding-left:.5rem;
font-size:1.25rem}
.tel input:focus-visible{outline:0}
.tel:focus-within{outline:3px solid var(--f);outline-offset:2px}
[aria-invalid=true],.tel:has([aria-invalid=true]){border-color:var(--e)}
button,.button{display:flex;align-items:center;justify-content:center;text-align:center;
text-decoration:none;font-weight:700;
border:1px solid var(--a);background:var(--b);color:var(--o);cursor:pointer}
.second{background:var(--p);color:var(--a)}
.two{display:flex;flex-wrap:wrap;gap:.5rem;margin:.5rem 0}
.two>*{flex:1 1 6rem}
.two .button,.two button{padding:.5rem .25rem}
.two select{flex-grow:2}
::placeholder{color:var(--m);opacity:1}
.off,.first{position:absolute;width:1px;height:1px;min-height:0;padding:0;margin:0;overflow:hidden;
clip-path:inset(50%);border:0;white-space:nowrap}
.head{display:flex;gap:.5rem;align-items:center}
.head h2{margin:0}
.fee{background:var(--r);border-radius:.5rem;padding:.375rem .75rem;margin:.5rem 0}
[disabled]{opacity:.6;cursor:default}
summary{cursor:pointer;padding:.75rem 0;line-height:1.25rem;color:var(--a);
text-decoration:underline}
.link{display:inline-block;padding:.75rem 0;line-height:1.25rem}
p:has(>.link){margin:0}
.place .two{margin:0 0 .5rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(6rem,100%),1fr));gap:.5rem}
.tiles>input{position:absolute;opacity:0;width:1px;min-height:1px;padding:0}
.tile{display:flex;flex-direction:column;align-items:center;justify-content:center;gap:.25rem;
position:relative;
min-height:5.25rem;padding:.5rem .25rem;border:1px solid var(--l);border-radius:.5rem;
font-size:.8125rem;line-height:1.2;text-align:center;cursor:pointer}
.tile small{font-weight:400}
.tile .tick{display:none;position:absolute;top:.25rem;right:.25rem;color:var(--a)}
:checked+.tile{border-color:var(--a);box-shadow:inset 0 0 0 2px var(--a)}
:checked+.tile .tick{display:block}
:disabled+.tile{border-style:dashed;cursor:default}
:disabled+.tile>:not(small){opacity:.6}
.tiles :focus-visible+.tile,:focus-visible{outline:3px solid var(--f);outline-offset:2px}
.code{display:none;order:1;grid-column:1/-1;margin:0}
#code-form{margin-bottom:.75rem}
:checked+.tile+.code{display:block}
.pin{display:flex;gap:.5rem;align-items:center;margin:.5rem 0;color:var(--m)}
.go{position:sticky;bottom:0;background:var(--p);padding:.5rem 0;margin:0}
.steps{list-style:none;padding:0;counter-reset:s}
.steps li{position:relative;padding:.125rem 0 .5rem 2.25rem;counter-increment:s}
.steps li::before{content:counter(s);position:absolute;left:0;width:1.5rem;height:1.5rem;
border-radius:50%;background:var(--kg);color:var(--k);font-weight:700;text-align:center;
line-height:1.5rem}
.dial{justify-content:space-between;gap:.75rem;text-align:left}
.dial b{font-size:1.25rem;white-space:nowrap}
.paying{display:flex;gap:.75rem;align-items:center;background:var(--r);border-radius:.5rem;
padding:.25rem .75rem;margin:.25rem 0 .5rem}
.paying dl{flex:1;margin:0}
.paying dl div{padding:.125rem 0;border:0}
.done{text-align:center}
.done p{margin:0 0 .25rem}
.done svg{margin:.25rem auto;color:var(--k)}
.done+dl{margin:.5rem 0}
.ended svg{color:var(--e)}
.over svg{color:var(--m)}
.waits{display:flex;gap:.5rem}
.wait{flex:none;width:1em;height:1em;margin-top:.125em;
border:3px solid var(--l);border-top-color:var(--a);border-radius:50%}
.print{display:none}
.js .print{display:flex}
${sums}
@media(min-width:40rem){body{background:var(--r)}header,footer{padding-left:0;padding-right:0}
main{background:var(--p);border:1px solid var(--h);border-radius:.75rem;padding:1.5rem}
h1{font-size:1.75rem}}
@media(max-height:30rem){.go{position:static}}
#link-form .go,form:has(:checked+.tile+.code) .go{position:static}
@media(prefers-reduced-motion:no-preference){.wait{animation:r 1.2s linear infinite}@keyframes r{
to{rotate:1turn}}}
@media(forced-colors:active){button,.button,.note,.bad,.wary,.tel,.tile{border-color:CanvasText}
:checked+.tile{outline:3px solid Highlight}}
@media print{.test~header a,header a,.no-print,form,footer p:not(#contact){display:none}
body,main{background:#fff;color:#000;border:0}}
`.replaceAll('\n', '')

const styleIn = (scheme: string) => inline('style', scheme + rules)

export const stylesIn = {
  readers: styleIn(schemes.readers),
  light: styleIn(schemes.light),
  dark: styleIn(schemes.dark),
} as const

/** A merchant without a colour has ours. */
export function coloursOf(brand_colour: string, shown_in?: Theme): Inline {
  const colour = isColour(brand_colour) ? brand_colour.toLowerCase() : platform_colour
  const light_shade = legibleOn(paper.light, colour)
  const dark_shade = legibleOn(paper.dark, colour)
  const shade = shown_in === 'dark' ? dark_shade : light_shade
  const root = `:root{--b:${colour};--o:${textOn(colour)};--a:${shade}}`
  if (shown_in !== undefined) return inline('style', root)
  return inline('style', `${root}@media(prefers-color-scheme:dark){:root{--a:${dark_shade}}}`)
}

// The one script of our pages, which none of them needs: a button is pressed once, the network of a
// number is chosen as it is typed, a country as it is selected; a waiting page learns of its end at
// once, and a payer who has paid is led back unless they are busy with their receipt. No page is
// left without a connection: the browser's own page of an error knows no way back.

/** Its settings are data attributes: of `body` here, live, state, next; of a radio its prefixes. */
export const behaviour = inline(
  'script',
  `
(()=>{
const d=document,b=d.body.dataset,id=i=>d.getElementById(i),
go=a=>navigator.onLine?location.replace(a):addEventListener('online',()=>go(a),{once:true}),
later=s=>setTimeout(()=>go(b.here),s*1e3);
d.documentElement.className='js';
addEventListener('submit',e=>{
const x=e.target.querySelector('[data-busy]');
if(x)setTimeout(()=>{x.disabled=true;x.textContent=x.dataset.busy})});
addEventListener('pageshow',e=>{if(e.persisted)go(b.here)});
id('errors')?.focus();
id('country')?.addEventListener('change',()=>id('change')?.click());
id('print')?.addEventListener('click',()=>print());
const n=[...d.querySelectorAll('[data-own]')];let own;
addEventListener('change',e=>{if(e.target.name==='network')own=true});
id('phone')?.addEventListener('input',e=>{
if(own)return;
let t=e.target.value.replace(/[^0-9+]/g,'').replace(/^00/,'+'),c=id('code')?.textContent;
if(c&&t.startsWith(c))t=t.slice(c.length);
let best=0,hit;
for(const x of n)for(const p of x.dataset.own.split(' '))
for(const v of [t,t.replace(/^0/,'')])if(p.length>best&&v.startsWith(p)){best=p.length;hit=x}
if(hit&&!hit.disabled)hit.checked=true});
if(b.next){const w=setTimeout(()=>go(b.next),1e4);
for(const k of ['pointerdown','keydown'])addEventListener(k,()=>clearTimeout(w))}
if(!b.live)return;
if(!self.EventSource)return later(8);
const s=new EventSource(b.live);
s.onmessage=e=>{if(e.data!==b.state){s.close();go(b.here)}};
s.onerror=()=>{if(s.readyState===2)later(10)};
})()
`.replaceAll('\n', ''),
)

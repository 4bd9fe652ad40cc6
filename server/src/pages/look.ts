// How every page looks: one small style of our own, at any width and size of text, in the dark, and
// in the reader's own colours (forced-colors). The merchant's colour comes as variables beside it.

import { type Inline, inline } from '../platform/html.ts'
import { isColour, legibleOn, paper, platform_colour, textOn } from './colour.ts'

export const styles = inline(
  'style',
  `
:root{color-scheme:light dark;--p:${paper.light};--t:#1b1f23;--m:#555b61;--l:#8a9096;--e:#b00020;
--s:#f3f5f6}
@media(prefers-color-scheme:dark){:root{--p:${paper.dark};--t:#f1f3f4;--m:#b4bac0;--l:#7c8389;
--e:#ff9a9a;--s:#20252a}}
*{box-sizing:border-box}
body{margin:0;background:var(--p);color:var(--t);font:1rem/1.5 system-ui,sans-serif;
overflow-wrap:anywhere}
main,header,footer{max-width:30rem;margin:0 auto;padding:.75rem 1rem}
header,.row{display:flex;align-items:center;gap:.75rem}
header b{flex:1}
h1{font-size:1.5rem;line-height:1.25;margin:.25rem 0 .5rem}
h2{font-size:1.1rem;margin:0 0 .25rem}
p,dl,ul,ol,.row{margin:0 0 1rem}
.row p{margin:0}
ul,ol{padding-left:1.25rem}
a{color:var(--a)}
svg,img{flex:none;display:block}
img{max-width:6rem;height:2.5rem;object-fit:contain}
.mute,dt{color:var(--m)}
.note,.bad,.test{border:2px solid var(--l);border-radius:.5rem;padding:.75rem;margin:0 0 1rem}
.test{margin:0;border-width:0 0 2px;border-radius:0;text-align:center;background:var(--s)}
.bad{border-color:var(--e)}
.bad p:last-child,.bad ul,.note p:last-child,dd,.err{margin:0}
.err,.bad h2{color:var(--e)}
dl{display:grid;grid-template-columns:fit-content(45%) 1fr;gap:.25rem 1rem}
dd{font-weight:600;text-align:right}
fieldset{border:0;padding:0;margin:0 0 1rem;min-width:0}
legend,label{font-weight:600;padding:0}
form,.field{margin:0 0 1rem}
.field input,.field select{margin-top:.25rem}
.hint{color:var(--m);margin:0}
input,select,button,.button{font:inherit;width:100%;min-height:3rem;border-radius:.5rem;
padding:.5rem .75rem}
textarea{font:inherit;width:100%}
input,select,textarea{background:var(--p);color:var(--t);border:2px solid var(--l)}
[aria-invalid=true]{border-color:var(--e)}
button,.button{display:block;text-align:center;text-decoration:none;font-weight:700;
border:2px solid var(--a);background:var(--b);color:var(--o);cursor:pointer}
.second{background:none;color:var(--a);margin:.5rem 0 0}
[disabled]{opacity:.6;cursor:default}
.net{position:relative;border:2px solid var(--l);border-radius:.5rem;margin:.5rem 0 0;
padding:.75rem;display:grid;grid-template-columns:auto minmax(0,1fr);
align-items:center;gap:0 .75rem}
.net input[type=radio]{width:1.5rem;min-height:1.5rem;height:1.5rem;margin:0;
accent-color:var(--a)}
.net label{display:flex;flex-wrap:wrap;align-items:center;gap:0 .75rem}
.net label::after{content:"";position:absolute;inset:0}
.net span{flex:1;min-width:min(8rem,100%)}
.net small{display:block;font-weight:400;color:var(--m);font-size:.9rem}
.net .code{grid-column:1/-1;position:relative;z-index:1;margin:.75rem 0 0}
.net input:not(:checked)~.code{display:none}
:focus-visible{outline:3px solid var(--a);outline-offset:2px}
.wait{flex:none;width:2.5rem;height:2.5rem;border:4px solid var(--l);border-top-color:var(--a);
border-radius:50%}
@media(prefers-reduced-motion:no-preference){.wait{animation:r 1.2s linear infinite}@keyframes r{
to{rotate:1turn}}}
@media(forced-colors:active){button,.button,.net,.note,.bad{border-color:CanvasText}}
`.replaceAll('\n', ''),
)

/** A merchant without a colour has ours. */
export function coloursOf(brand_colour: string): Inline {
  const colour = isColour(brand_colour) ? brand_colour.toLowerCase() : platform_colour
  const light = legibleOn(paper.light, colour)
  const dark = legibleOn(paper.dark, colour)
  return inline(
    'style',
    `:root{--b:${colour};--o:${textOn(colour)};--a:${light}}` +
      `@media(prefers-color-scheme:dark){:root{--a:${dark}}}`,
  )
}

// The one script of our pages, which none of them needs: a button is pressed once, a waiting page
// learns of its end at once, and a payer who has paid is led back to the merchant.

/** Its settings are data attributes of `body`: here, live, state, next. */
export const behaviour = inline(
  'script',
  `
(()=>{
const b=document.body.dataset,go=a=>location.replace(a),later=s=>setTimeout(()=>go(b.here),s*1e3);
addEventListener('submit',e=>{
const x=e.target.querySelector('[data-busy]');
if(x)setTimeout(()=>{x.disabled=true;x.textContent=x.dataset.busy})});
addEventListener('pageshow',e=>{if(e.persisted)go(b.here)});
document.getElementById('errors')?.focus();
if(b.next)setTimeout(()=>go(b.next),5e3);
if(!b.live)return;
if(!self.EventSource)return later(8);
const s=new EventSource(b.live);
s.onmessage=e=>{if(e.data!==b.state){s.close();go(b.here)}};
s.onerror=()=>{if(s.readyState===2)later(10)};
})()
`.replaceAll('\n', ''),
)

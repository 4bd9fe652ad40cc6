// The one script of our pages, which none of them needs: a button is pressed once, a waiting page
// learns of its end at once, and a payer who has paid is led back to the merchant.

import { inline } from '../platform/html.ts'

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

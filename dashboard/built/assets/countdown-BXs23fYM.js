<<<<<<<< HEAD:dashboard/built/assets/countdown-DUIaKB7w.js
import{D as e,_t as t,lt as n,ot as r,pt as i}from"./state-qSO88P2z.js";import{u as a}from"./shell-DLpNei2i.js";n();var o=6e4;function s({to:n}){let{language:s,moment:c}=a(),[l,u]=t(()=>new Date);return i(()=>{let e=setInterval(()=>u(new Date),o);return()=>clearInterval(e)},[]),r(`time`,{dateTime:n,children:[e(n,s,l),` (`,c(n),`)`]})}export{s as t};
========
import{D as e,_t as t,lt as n,ot as r,pt as i}from"./state-D53yDoS6.js";import{u as a}from"./shell-CJ9cUXVQ.js";n();var o=6e4;function s({to:n}){let{language:s,moment:c}=a(),[l,u]=t(()=>new Date);return i(()=>{let e=setInterval(()=>u(new Date),o);return()=>clearInterval(e)},[]),r(`time`,{dateTime:n,children:[e(n,s,l),` (`,c(n),`)`]})}export{s as t};
>>>>>>>> shop:dashboard/built/assets/countdown-BXs23fYM.js

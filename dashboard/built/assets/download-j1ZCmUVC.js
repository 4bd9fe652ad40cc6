<<<<<<<< HEAD:dashboard/built/assets/download-j1ZCmUVC.js
import{U as e}from"./state-qSO88P2z.js";async function t(t,n){let{url:r}=await e({method:`POST`,url:`/downloads/`,body:{path:n},place:t}),{pathname:i,search:a}=new URL(r,location.href);return i+a}async function n(e,n){location.assign(await t(e,n))}export{t as n,n as t};
========
import{U as e}from"./state-D53yDoS6.js";async function t(t,n){let{url:r}=await e({method:`POST`,url:`/downloads/`,body:{path:n},place:t}),{pathname:i,search:a}=new URL(r,location.href);return i+a}async function n(e,n){location.assign(await t(e,n))}export{t as n,n as t};
>>>>>>>> shop:dashboard/built/assets/download-RUpq4XLY.js

<<<<<<<< HEAD:dashboard/built/assets/networks-COeTWrEP.js
import{s as e}from"./icons-CcWZdoSg.js";import{u as t}from"./shell-DLpNei2i.js";var n=36e5;function r(){let{place:r}=t(),{data:i}=e(r,{url:`/networks/`,query:{page_size:100}},{stale_ms:n});return i?.results??[]}function i(){let e=new Map(r().map(({code:e,name:t})=>[e,t]));return t=>t===null?``:e.get(t)??t}var a=e=>r().filter(({country_code:t,is_active:n})=>n&&t===e);export{a as n,i as t};
========
import{s as e}from"./icons-VC8DN2kB.js";import{u as t}from"./shell-CJ9cUXVQ.js";var n=36e5;function r(){let{place:r}=t(),{data:i}=e(r,{url:`/networks/`,query:{page_size:100}},{stale_ms:n});return i?.results??[]}function i(){let e=new Map(r().map(({code:e,name:t})=>[e,t]));return t=>t===null?``:e.get(t)??t}var a=e=>r().filter(({country_code:t,is_active:n})=>n&&t===e);export{a as n,i as t};
>>>>>>>> shop:dashboard/built/assets/networks-CFM_-9IR.js

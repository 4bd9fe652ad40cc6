<<<<<<<< HEAD:dashboard/built/assets/link-list-CcVkjIiQ.js
export{t as default,n as linkState,r as paidTimes,i as useLinkAmount}from"./link-list-wx-XEum8.js";
========
export{t as default,n as linkState,r as paidTimes,i as useLinkAmount}from"./link-list-CEFeLMLj.js";
>>>>>>>> shop:dashboard/built/assets/link-list-KjA5kT8q.js

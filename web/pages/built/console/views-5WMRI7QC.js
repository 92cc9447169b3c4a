import{$ as Vt,Aa as y,Ba as Ve,Ca as F,Da as G,Ea as Qe,F as zt,Fa as B,Ga as z,H as g,Ha as on,I as N,Ia as xt,J as K,Ja as rn,K as Ht,Ka as ee,L as kt,La as H,Ma as Z,N as Re,Na as Oe,O as Fe,Oa as te,P as D,Pa as sn,Q as T,Qa as an,R as Ge,Ra as Xo,S as Jt,Sa as cn,T as Kt,Ta as dn,U as Be,Ua as ln,W as Wt,Wa as er,X as vt,Xa as Ye,Y as J,Ya as un,Z as E,Za as Ze,_ as ze,_a as pn,a as Ae,ab as tr,ba as L,c as k,ca as He,d as q,da as U,e as C,ea as A,eb as $n,f as ye,g as i,ga as Qt,gb as mn,h as Ie,hb as nr,ia as me,ib as Ot,j as Ft,ja as fe,jb as fn,k as Ne,ka as Je,kb as Xe,la as _e,lb as et,m as Ue,ma as Yt,na as wt,nb as _n,o as t,oa as Zt,p as ke,pa as xe,qa as Xt,r as j,ra as en,rb as ne,s as b,sb as hn,t as ve,ta as tn,tb as tt,u as we,ua as R,ub as gn,va as ie,vb as bn,w as Me,wa as W,wb as or,x as Gt,xa as Ke,y as Bt,ya as nn,za as We}from"./chunk-WDEQVAQR.js";function rr(){let[e,n]=k({kind:""}),o=G("/blocked",e),r=($,m)=>`/blocked/${encodeURIComponent(`${m}:${$}`)}`,s=[["user",t("block_user")],["address",t("block_address")]],a=[{name:"kind",label:t("kind"),options:s},{name:"subject",label:t("subject"),help:t("subject_help"),required:!0,maxlength:64},{name:"reason",label:t("reason"),required:!0,maxlength:200},{name:"until",label:t("until"),help:t("until_help"),type:"datetime-local"}],c=($,m)=>o.items.find(f=>f.kind===$&&f.subject===m)?.version,d=($,m,f,_)=>g("PUT",r(m,$),{body:f,version:_,create:!_}),l=($,m,f)=>g("DELETE",r(m,$),{version:f}),u=({kind:$,subject:m,reason:f,until:_},v,x=c($,m))=>d($,m,{reason:f,..._&&{until:new Date(_).toISOString()}},x),p=($,{kind:m,subject:f})=>!c(m,f)&&(()=>l(m,$.subject,$.version)),h=[[t("subject"),$=>i`<code>${$.subject}</code>`,"lead"],[t("kind"),$=>t(`block_${$.kind}`),"end"],[t("reason"),$=>$.reason,"wide"],[U(t("until")),$=>$.until?i`<${A} at=${$.until} />`:t("no_end"),"named"],[U(t("since")),$=>i`<${A} at=${$.updated_at} />`,"named"],["",$=>i`<${y} route="DELETE /blocked/{subject}"
        label=${t("unblock")} title=${t("unblock_title",{subject:$.subject})}
      run=${(m,f,_=$.version)=>l($.kind,$.subject,_)}
      done=${t("done_unblocked",{subject:$.subject})}
      undo=${()=>()=>d($.kind,$.subject,{reason:$.reason,...$.until&&{until:$.until}})}
      then=${o.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_blocked")}</h1>
      <${y} route="PUT /blocked/{subject}"
        label=${t("block")} kind="go" id="block" title=${t("block_title")} help=${t("block_help")}
        fields=${a} run=${u} done=${$=>t("done_blocked",{subject:$.subject})}
        undo=${p} then=${o.reload} /></div>
    <${ee} fields=${[{name:"kind",label:t("kind"),options:[["",t("all")],...s]}]}
      values=${e} change=${n} />
    <${z} list=${o} name=${t("menu_blocked")} columns=${h} empty=${t("blocked_none")}
      keyOf=${$=>`${$.kind}:${$.subject}`} />`}var sr=4,ir={activity:["created","changed","published","paused","resumed","taken_offline","stock_changed","stock_change_refused","stock_change_abandoned","reloaded","repaired","deleted"],sku:["created","changed","stock_changed","deleted"],point:["created","changed","deleted"],order:["refunded","noted","held","paid_outside"],payment:["flag_cleared"],refund:["retried","reported"],voucher:["redeemed"],dead:["replayed","discarded"],blocked:["created","changed","deleted"],endpoint:["registered","changed","secret_changed","resent","deleted"],job:["run","paused","resumed"],key:["created","revoked"]},yn={activity:e=>`#/edit/${e}`,sku:e=>`#/goods?${new URLSearchParams({sku_id:e})}`,point:e=>`#/points?${new URLSearchParams({point_id:e})}`,order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?${new URLSearchParams({refund_number:e})}`,voucher:e=>`#/voucher/${e}`,dead:()=>"#/queue",blocked:()=>"#/blocked",endpoint:e=>`#/deliveries/${e}`,job:()=>"#/jobs",key:()=>"#/keys"};function ar(e,n){return[e,...n.filter(s=>s.on===e.on)].flatMap(({before:s,after:a})=>[a,s]).map(s=>s?.title??s?.name).find(s=>typeof s=="string")}function cr({change:e,all:n}){let[o,...r]=e.on.split(":"),s=r.join(":"),a=o==="job"?mn(s):ar(e,n),c=e.action.endsWith(".deleted")||!yn[o],d=i`<b>${a??s}</b>`;return i`<span class="muted">${W("hit",o)}</span>${" "}
    ${c?d:i`<a href=${yn[o](s)}>${d}</a>`}
    ${a&&i`<p class="muted"><code>${s}</code></p>`}`}function dr({query:e}){let[n,o]=on("changes",e,{actor:"",on:"",action:""}),r=G("/changes",xt(n)),s=Object.entries(ir).flatMap(([u,p])=>p.map(h=>`${u}.${h}`)),a=n.action&&!s.includes(n.action)?[n.action]:[],c=[["",t("all")],...[...a,...s].map(u=>[u,wt(u)])],d=[{name:"actor",label:t("operator"),maxlength:64},{name:"action",label:t("action"),options:c},{name:"on",label:t("changed_item"),placeholder:"sku:lamp",maxlength:120},{name:"from",label:t("from_day"),type:"date"},{name:"to",label:t("to_day"),type:"date"}],l=[[U(t("at")),u=>i`<${A} at=${u.at} />`,"end"],[t("operator"),u=>i`<span title=${u.client_ip}>${u.actor}</span>`],[t("action"),u=>i`<b title=${u.action}>${wt(u.action)}</b>`,"lead"],[t("changed_item"),u=>i`<${cr} change=${u} all=${r.items} />`,"wide"],[t("difference"),u=>i`<${lr} fields=${Zt(u)} />`,"wide"]];return i`<h1>${t("menu_changes")}</h1><p class="muted">${t("changes_help")}</p>
    <${ee} fields=${d} values=${n} change=${o} />
    <${z} list=${r} name=${t("menu_changes")} columns=${l} empty=${rn("changes",xt(n))}
      keyOf=${u=>u.change_id} />`}function lr({fields:e}){if(e.length===0)return"–";if(e.length<=sr)return i`<${xe} fields=${e} />`;let n=t("fields_changed",{count:b(e.length)});return i`<details><summary>${n}</summary><${xe} fields=${e} /></details>`}function ur({id:e}){let[n,o]=k({status:""}),r=G(`${Ze(e)}/deliveries`,n),[s,a]=k(""),[c,d]=k(),l=[[t("event"),m=>i`<b>${pn(m.type)}</b><p class="muted"><code>${m.type}</code> ${m.event_id}</p>`,"lead"],[t("state"),m=>i`<${R} state=${m.status} />
      ${m.next_attempt_at&&i`<p class="muted">${t("next_try")} ${L(m.next_attempt_at)}</p>`}`,"end"],[t("attempts"),m=>b(m.attempts),"number named"],[t("answer"),m=>i`${m.status_code??""} <span class="bad">${m.error}</span>
      <p class="muted">${m.answer}</p>`,"wide"],[t("duration"),m=>`${b(m.duration_ms)} ms`,"number"],[U(t("at")),m=>i`<${A} at=${m.at} />`],["",m=>i`<div class="row actions">
      <button type="button" class="quiet" id="show-${m.delivery_id}" onClick=${()=>a(m.delivery_id)}>
        ${t("payload")}</button>
      <${y} label=${t("send_again")} then=${r.reload}
      run=${(f,_)=>g("POST",`/deliveries/${m.delivery_id}/resend`,{key:_})} /></div>`,"tools"]],u=m=>m?new Date(m).toISOString():void 0,p=[{name:"from",label:t("from_time"),type:"datetime-local",required:!0},{name:"to",label:t("to_time"),type:"datetime-local"}],h=({from:m,to:f},_)=>g("POST",`${Ze(e)}/resend`,{key:_,body:{from:u(m),to:u(f)}}),$=["","waiting","delivered","failed"].map(m=>[m,t(m?`state_${m}`:"all")]);return i`<div class="row heading"><h1>${t("deliveries_title",{name:e})}</h1>
      <${y} label=${t("test_event_send")} id="test" run=${(m,f)=>g("POST",`${Ze(e)}/test`,{key:f})}
        then=${d} />
      <${y} label=${t("send_span")} title=${t("send_span")} help=${t("send_span_help")} fields=${p}
        run=${h} then=${r.reload} />
      <a href="#/endpoints">${t("menu_endpoints")}</a></div>
    <${ee} values=${n} change=${o}
      fields=${[{name:"status",label:t("state"),options:$}]} />
    <${z} list=${r} name=${t("deliveries")} columns=${l} empty=${t("deliveries_none")}
      keyOf=${m=>m.delivery_id} />
    ${s&&i`<${$r} id=${s} close=${()=>a("")} />`}
    ${c&&i`<${mr} result=${c} close=${()=>d()} />`}`}var pr=e=>{try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}};function $r({id:e,close:n}){let{value:o,error:r,reload:s}=N(()=>g("GET",`/deliveries/${e}`));return i`<${J} title=${t("payload")} close=${n}><${T} error=${r} retry=${s} />
    ${!o&&!r&&i`<${D} />`}
    ${o&&!o.event&&i`<p class="muted">${t("payload_gone")}</p>`}
    ${o?.event&&i`<pre class="file" tabindex="0">${JSON.stringify(o.event,null,2)}</pre>`}
    ${o&&i`<${kn} of=${o} />`}
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function mr({result:e,close:n}){return i`<${J} title=${t("test_event")} close=${n}>
    <p class=${ie(e.accepted)} id="tested">${t(e.accepted?"test_accepted":"test_refused")}</p>
    <pre class="file" tabindex="0">${pr(e.body)}</pre><${kn} of=${e} />
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function kn({of:{status_code:e,answer:n,error:o,duration_ms:r}}){return!e&&!o?null:i`<h3>${t("answer")}</h3><p>${e} <span class="bad">${o}</span>
      <span class="muted">${b(r)} ms</span></p>
    ${n&&i`<pre class="file" tabindex="0">${n}</pre>`}`}var fr=["add","take","set"],nt=()=>[{name:"how",label:t("stock_how"),options:fr.map(e=>[e,t(`stock_${e}`)]),initial:"add"},{name:"units",label:t("units"),type:"number",step:1,min:0,required:!0,initial:0,steps:!0}],he=({how:e,units:n})=>(e==="take"?-1:1)*Number(n||0),ot=(e,n)=>n.how==="set"?Number(n.units||0):Math.max(0,e+he(n));var oe=e=>`/activities/${e.activity_id}`,rt=e=>["running","upcoming"].includes(ne(e));function re(e){if(!e)return"";let n=new Date(e);return new Date(n.getTime()-n.getTimezoneOffset()*6e4).toISOString().slice(0,19)}function st(e,n){if(!e)return;let o=new Date(e).toISOString();return n&&o===new Date(re(n)).toISOString()?n:o}var _r=e=>L(e&&new Date(e)),vn=e=>n=>re(new Date(new Date(n).getTime()+e*6e4).toISOString());function wn({sale:e,then:n}){if(!rt(e))return null;let o=(s,a)=>g("PATCH",oe(e),{version:a,body:{ends_at:s}}),r={name:"ends_at",label:t("ends_at"),type:"datetime-local",required:!0,initial:re(e.ends_at),presets:[[t("later_minutes",{n:15}),vn(15)],[t("later_hours",{n:1}),vn(60)]]};return i`<${y} route="PATCH /activities/{activity_id}" label=${t("extend")} title=${t("extend")} id="extend"
    fields=${[r]} preview=${({ends_at:s})=>`${L(e.ends_at)} → ${_r(s)}`}
    run=${({ends_at:s},a,c=e.version)=>o(st(s,e.ends_at),c)} then=${n}
    done=${s=>t("done_extended",{sale:e.title,time:L(s.ends_at)})}
    undo=${s=>()=>o(e.ends_at,s.version)} />`}function xn({sale:e,then:n}){let o=C(e),[r,s]=k([]);if(!rt(e))return null;let a=_=>r.find(v=>v.point_id===_)?.name??_,c=[...new Set(e.skus.flatMap(_=>_.stock.map(v=>v.point_id)))],d=[{name:"sku_id",label:t("sku"),options:e.skus.map(_=>[_.sku_id,_.sku_id]),initial:e.skus[0].sku_id},{name:"point_id",label:t("point"),options:c.map(_=>[_,a(_)]),initial:c[0]},...nt()],l=({sku_id:_,point_id:v})=>o.current.skus.find(x=>x.sku_id===_)?.stock.find(x=>x.point_id===v)?.quantity??0,u=(_,v)=>t(v,{sku:_.sku_id,before:b(l(_)),after:b(ot(l(_),_)),point:a(_.point_id)}),p=(_,v,x)=>g("POST",`${oe(e)}/stock`,{key:x,body:{sku_id:_.sku_id,point_id:_.point_id,delta:v}}),h=(_,v,x)=>g("PUT",`${oe(e)}/stock`,{version:x,body:{sku_id:_.sku_id,point_id:_.point_id,quantity:v}}),$=(_,v,x=o.current.version)=>_.how==="set"?h(_,Number(_.units),x):p(_,he(_),v),m=({status:_,delta:v},x)=>_!=="pending"&&v!==0&&(O=>p(x,-v,O)),f=()=>{o.current=e,E("GET /points")&&B("/points").then(s,()=>{})};return i`<${y} route="POST /activities/{activity_id}/stock" label=${t("change_stock")}
    title=${t("change_stock")} help=${t("set_total_help")} id="stock" onOpen=${f} fields=${d} run=${$}
    then=${n} preview=${_=>u(_,"stock_preview")} done=${(_,v)=>u(v,"done_stock")}
    undo=${m} />`}function it({sale:e,kind:n}){return i`<${y} route="POST /activities/{activity_id}/clone"
    label=${t("clone")} kind=${n} run=${(o,r)=>g("POST",`${oe(e)}/clone`,{key:r,body:{}})}
    then=${o=>Re(`#/edit/${o.activity_id}`)} />`}function On({sale:e,then:n,opens:o}){if(!rt(e))return null;let r=(a,c)=>g("POST",`${oe(e)}/pause`,{key:c}),s=(a,c)=>g("POST",`${oe(e)}/resume`,{key:c});return e.paused_at?i`<${y} route="POST /activities/{activity_id}/resume" label=${t("resume_sale")} kind="go" id="resume"
      run=${s} done=${t("done_resumed",{sale:e.title})} undo=${()=>a=>r({},a)}
      then=${n} />`:i`<${y} route="POST /activities/{activity_id}/pause"
    label=${t("pause_sale")} title=${t("pause_sale")} help=${t("pause_sale_help")} id="pause" opens=${o}
    run=${r} done=${t("done_paused",{sale:e.title})} undo=${()=>a=>s({},a)}
    then=${n} />`}function at({sale:e,then:n}){let[o,r]=k();if(!rt(e))return null;let s=()=>{r(),g("GET",`${oe(e)}/stats`).then(r,()=>r({}))};return i`<${y} route="POST /activities/{activity_id}/offline" label=${t("close_sale")}
    title=${t("close_title",{sale:e.title})} help=${hr(o)} kind="danger" onOpen=${s}
    id="close" done=${t("done_closed",{sale:e.title})}
    run=${(a,c)=>g("POST",`${oe(e)}/offline`,{key:c})} then=${n} />`}function hr(e){return e?.loaded?`${t("close_sale_help")} ${t("close_sale_affects",{left:b(fe(e)),unpaid:b(e.placed+e.unpaid),waiting:b(e.waiting_room?.waiting??0)})}`:t("close_sale_help")}var Pn=["item","user","ip"],qn=["title","description","image_url"],Sn=e=>JSON.stringify(e,(n,o)=>typeof o=="number"?String(o):o),Se=(e,n)=>Sn(e)===Sn(n),ct=e=>e===void 0||e<0?"":e,dt=e=>e===""||e===void 0?-1:Number(e),Te=(e,n)=>n.find(o=>o.sku_id===e)?.currency??"CNY",St=(e,n)=>e.currency??Te(e.sku_id,n);function En(e,n){let o=n.find(r=>r.sku_id===e);return Z(o?.price,Te(e,n))}var ae=(e,n)=>(n.find(o=>o.sku_id===e)?.kind??"physical")==="physical";function Pe(e,n,o){if(o==="")return{...e,stock:e.stock.filter(a=>a.point_id!==n)};let r=e.stock.some(a=>a.point_id===n),s={point_id:n,quantity:o};return{...e,stock:r?e.stock.map(a=>a.point_id===n?s:a):[...e.stock,s]}}function lt(e,n){let o=new Set([...e.skus.flatMap(s=>s.stock.map(a=>a.point_id)),...e.points??[]]);o.size===0&&o.add("0");let r=n.map(s=>s.point_id).filter(s=>o.has(s));return[...r,...[...o].filter(s=>!r.includes(s))]}function Tt(e,n){let r=Math.ceil(Date.now()/36e5)*36e5,[s]=e;return{title:"",description:"",image_url:"",shop_id:s?.shop_id??ze()??"",starts_at:re(r),ends_at:re(r+36e5),pay_within:15,purchase_limit:"",permit_ratio:"",human_check:"none",paths_per_second:"",segments:"",limit_item:"",limit_user:"",limit_ip:"",points:[],skus:s?[qe(s,n)]:[]}}function qe(e,n){let o=n.find(s=>s.point_id==="0")??n[0],r=e.kind==="physical"?o:void 0;return{sku_id:e.sku_id,flash_price:Z(e.price,e.currency),currency:e.currency,purchase_limit:"",stock:[{point_id:r?.point_id??"0",quantity:100}]}}function se(e,n){let o={...Object.fromEntries(qn.map(r=>[r,e[r]??""])),shop_id:e.shop_id,starts_at:re(e.starts_at),ends_at:re(e.ends_at),pay_within:e.pay_within_s/60,purchase_limit:ct(e.purchase_limit),permit_ratio:ct(e.permit_ratio),human_check:e.human_check,paths_per_second:ct(e.waiting_room?.paths_per_second),segments:(e.segments??[]).join(" "),points:[],skus:e.skus.map(r=>({sku_id:r.sku_id,flash_price:Z(r.flash_price,St(r,n)),currency:r.currency,purchase_limit:ct(r.purchase_limit),stock:r.stock.map(s=>({...s}))}))};for(let r of Pn){let s=e.limits?.[r];o[`limit_${r}`]=s&&s.requests>=0?`${s.requests}/${s.seconds}`:""}return o}function gr(e){return Object.fromEntries(Pn.map(n=>{let[o,r]=e[`limit_${n}`].split("/").map(Number);return[n,r?{requests:o,seconds:r}:{requests:-1}]}))}var br=e=>e.split(/[\s,，、]+/).filter(Boolean),yr=(e,n)=>({...Object.fromEntries(qn.map(o=>[o,e[o]])),ends_at:st(e.ends_at,n?.ends_at),purchase_limit:dt(e.purchase_limit),permit_ratio:dt(e.permit_ratio),human_check:e.human_check,limits:gr(e),waiting_room:{paths_per_second:dt(e.paths_per_second)},segments:e.segments===void 0?n?.segments??[]:br(e.segments)});function kr(e,n,o){try{return{sku_id:e.sku_id,flash_price:H(e.flash_price,St(e,n)),purchase_limit:dt(e.purchase_limit)}}catch(r){throw Object.assign(r,{fields:{[`price-${o}`]:r.message}})}}function Ee(e,n,o){return{...yr(e,o),...o?.images&&{images:o.images},shop_id:e.shop_id,starts_at:st(e.starts_at,o?.starts_at),pay_within_s:Math.round(Number(e.pay_within)*60),skus:e.skus.map((r,s)=>({...kr(r,n,s),currency:St(r,n),stock:r.stock.map(a=>({point_id:a.point_id,quantity:Number(a.quantity)}))}))}}var Tn={skus:"sku_id",stock:"point_id"};function Ce(e,n,o){return Object.fromEntries(Object.entries({...o,...n,...o}).map(([r,s])=>Tn[r]?[r,vr(Tn[r],e[r]??[],n[r],s)]:[r,Se(n[r],e[r])?s:n[r]]))}function vr(e,n,o,r){let s=(c,d)=>c.find(l=>l[e]===d[e]);return[...r.filter(c=>s(o,c)||!s(n,c)).map(c=>s(o,c)?Ce(s(n,c)??{},s(o,c),c):c),...o.filter(c=>!s(r,c)&&!Se(c,s(n,c)))]}var wr={pay_within_s:"pay_within","waiting_room.paths_per_second":"paths_per_second",waiting_room:"paths_per_second"},Cn={sku_id:"sku",flash_price:"price",purchase_limit:"limit"},xr={price:"flash_price",limit:"sku_limit",units:"units",sku:"sku"};function Or(e,n,o,r){let s=/^limits\.(item|user|ip)/.exec(e);if(s)return`limit_${s[1]}`;if(e.startsWith("segments["))return"segments";let[,a,c]=/^skus\[(\d+)\]\.?(.*)$/.exec(e)??[];if(a===void 0)return wr[e]??(e in o?e:void 0);let d=n.skus?.[Number(a)],l=o.skus.findIndex(h=>h.sku_id===d?.sku_id);if(l<0)return;if(Cn[c])return`${Cn[c]}-${l}`;let[,u]=/^stock\[(\d+)\]/.exec(c)??[],p=u===void 0?0:r.indexOf(d.stock[Number(u)].point_id);return`units-${l}-${Math.max(0,p)}`}function Ln(e,n,o,r){let s={fields:{},rest:[]};for(let{field:a,detail:c}of e?.problem?.errors??[]){let d=Or(a,n??{},o,r);d&&!s.fields[d]?s.fields[d]=tn(c):d||s.rest.push({field:a,detail:c})}for(let[a,c]of Object.entries(e?.fields??{}))s.fields[a]=c;return s}function Sr(e,n){let[,o,r]=/^(sku|price|limit|units)-(\d+)/.exec(e)??[];return o?`${n.skus[Number(r)]?.sku_id}: ${t(xr[o])}`:t(e)}function jn({error:e,wrong:n,form:o,mine:r,theirs:s,apart:a}){let c=Object.keys(n.fields);if(c.length===0)return i`<${en} ...${{error:e,mine:r,theirs:s,apart:a}} />`;let d=l=>()=>document.querySelector(`.edit [name="${l}"]`)?.focus();return i`<div class="problem" role="alert" id="wrong"><p>${t("edit_wrong")}</p>
    <div class="row">${c.map(l=>i`<button type="button" class="quiet" onClick=${d(l)}>${Sr(l,o)}</button>`)}</div>
    ${n.rest.map(l=>i`<p class="muted"><code>${l.field}</code> ${l.detail}</p>`)}</div>`}var Dn=e=>JSON.stringify(e);function Pt(e,n=""){return Object.entries(e).filter(([,o])=>o!==void 0).flatMap(([o,r])=>Array.isArray(r)?r.length===0?[`${n}${o}: []`]:[`${n}${o}:`,...r.flatMap(s=>Tr(s,n))]:typeof r=="object"?[`${n}${o}:`,...Pt(r,`${n}  `)]:[`${n}${o}: ${Dn(r)}`])}function Tr(e,n){if(typeof e!="object")return[`${n}  - ${Dn(e)}`];let[o,...r]=Pt(e,`${n}    `);return[`${n}  - ${o.trim()}`,...r]}function Pr(e,n,o,r){let s=r?.state==="offline"?void 0:r?.state??"draft";return`${Pt({activity_id:e,state:s,...Ee(n,o,r)}).join(`
`)}
`}function An({id:e,form:n,skus:o,sale:r}){let[s,a]=k({}),c=()=>{try{a({text:Pr(e,n,o,r)})}catch(u){a({error:u})}},d=()=>a({}),l=async()=>a({...s,copied:await Ye(s.text)});return i`<button type="button" class="quiet" id="file" onClick=${c}>${t("sale_file")}</button>
    ${(s.text||s.error)&&i`<${J} title=${t("sale_file")} close=${d}>
      <p class="muted">${t("sale_file_help")} <code>onrush activities apply -f ${e}.yaml</code></p>
      <${T} error=${s.error} />
      ${s.text&&i`<pre class="file" tabindex="0">${s.text}</pre>`}
      <p role="status" id="file-copy">${s.copied===!1&&t("copy_failed")}</p>
      <div class="row">
        ${s.text&&i`<button type="button" class="go" onClick=${l}>${t(s.copied?"copied":"copy")}</button>
          <a class="button" download="${e}.yaml"
            href=${`data:text/yaml;charset=utf-8,${encodeURIComponent(s.text)}`}>${t("download_file")}</a>`}
        <button type="button" class="quiet" onClick=${d}>${t("close")}</button></div><//>`}`}var qt=e=>Ne(`onrush.sale.${e??Oe("","new")}`);function In(e){try{return JSON.parse(localStorage.getItem(qt(e)))??void 0}catch{return}}function Nn(e,n){try{return localStorage.setItem(qt(e),JSON.stringify(n)),!0}catch{return!1}}var Le=e=>localStorage.removeItem(qt(e));function Un(e){let[n,o]=k(""),r=C(!1);return q(()=>{if(!e)return;let a=l=>l.preventDefault(),c=l=>{let u=l.target.closest?.('a[href^="#/"]');!u||l.ctrlKey||l.metaKey||l.shiftKey||(l.preventDefault(),o(u.hash))},d=l=>{r.current||(l.preventDefault(),o(l.detail))};return addEventListener("beforeunload",a),document.addEventListener("click",c,!0),addEventListener(kt,d),()=>{removeEventListener("beforeunload",a),document.removeEventListener("click",c,!0),removeEventListener(kt,d)}},[e]),{target:n,stay:()=>o(""),go:a=>{r.current=!0,location.hash=a}}}function Mn({target:e,stay:n,go:o,discard:r}){return e?i`<${J} title=${t("leave_title")} close=${n}>
    <p class="muted">${t("leave_help")}</p>
    <div class="row">
      <button type="button" class="go" id="stay" onClick=${n}>${t("leave_stay")}</button>
      <button type="button" class="quiet" id="leave" onClick=${()=>o(e)}>${t("leave_keep")}</button>
      <button type="button" class="danger" id="leave-discard" onClick=${()=>{r(),o(e)}}>${t("leave_discard")}</button></div><//>`:null}function Rn({plan:e,apply:n,close:o}){return i`<${J} title=${t("edit_plan")} close=${o}>
    <${xe} fields=${e.differences} />
    <div class="row"><button type="button" class="go" id="apply" onClick=${n}>${t("save")}</button>
      <button type="button" class="quiet" onClick=${o}>${t("cancel")}</button></div><//>`}function Fn({form:e,skus:n}){let[o,r]=k(!1);return i`<button type="button" class="quiet" id="preview" onClick=${()=>r(!0)}>${t("preview")}</button>
    ${o&&i`<${J} title=${t("preview")} close=${()=>r(!1)}>
      <p class="muted">${t("preview_help")}</p>
      <article class="card preview">
        <${Ge} url=${e.image_url} title=${e.title||"?"} tone=${Be(e.title)} />
        <p><span class="badge upcoming">${t("preview_starts",{time:L(e.starts_at)})}</span></p>
        <h3>${e.title||t("preview_untitled")}</h3>
        ${e.description&&i`<p class="description">${e.description}</p>`}
        <p class="tags">
          ${Number(e.purchase_limit)>0&&i`<span>${t("preview_limit",{limit:e.purchase_limit})}</span>`}
          ${Number(e.paths_per_second)>0&&i`<span>${t("room")}</span>`}
          ${e.human_check!=="none"&&i`<span>${t("human_check")}</span>`}
          ${e.segments&&i`<span>${t("preview_segments")}</span>`}
          <span>${t("preview_pay",{minutes:e.pay_within})}</span></p>
        <ul class="list">${e.skus.map(s=>i`<li><${qr} sku=${s} skus=${n} /></li>`)}
        </ul></article>
      <button type="button" class="go" onClick=${()=>r(!1)}>${t("close")}</button><//>`}`}function qr({sku:e,skus:n}){let o=n.find(s=>s.sku_id===e.sku_id),r=e.stock.reduce((s,a)=>s+(Number(a.quantity)||0),0);return i`<div class="sku"><span class="name">${o?.title??e.sku_id}</span>
    <${Er} sku=${e} goods=${o} />
    <span class="muted">${t("preview_units",{units:r})}
      ${Number(e.purchase_limit)>0&&i` · ${t("preview_limit",{limit:e.purchase_limit})}`}</span></div>`}function Er({sku:e,goods:n}){let o;try{o=H(e.flash_price,e.currency??n?.currency)}catch{o=void 0}if(!n||o===void 0)return i`<span class="price">–</span>`;let r=e.currency??n.currency,s=r===n.currency&&o<n.price;return i`<span class="price">${j(o,r)}
    ${s&&i`<s>${j(n.price,n.currency)}</s>`}</span>`}var Gn=e=>e.replace(/\r?\n$/,"").split(/\r?\n/).map(n=>n.split("	").map(o=>o.trim()));function Cr(e){if(e==="")return"";let n=e.replace(/^[^\d.,-]+|[^\d.,]+$/g,"").replace(/\s/g,"");return/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(n)&&(n=n.replaceAll(",","")),n=n.replace(/^(\d+),(\d+)$/,"$1.$2"),/^\d+(\.\d+)?$/.test(n)?n:void 0}var ce=Oe("","price"),de=Oe("","limit"),je=(e,n)=>e.toLowerCase()===n.toLowerCase(),Bn=(e,n,o,r)=>e.find(s=>s[n]===r)??e.find(s=>je(s[n],r)||je(s[o],r)),Et=(e="",n)=>Bn(n,"sku_id","title",e);function Lr(e,n){return["flash_price","price",t("flash_price")].some(o=>je(o,e))?ce:["purchase_limit","limit",t("sku_limit")].some(o=>je(o,e))?de:je(t("units"),e)?"0":Bn(n,"point_id","name",e)?.point_id}function jr(e,n,o,{skus:r,points:s}){let a=Et(e[0][0],r)?e:e.slice(1);if(a.length>0&&e[0].length>1&&a.every(([c])=>Et(c,r))){let c=a===e?o:e[0].slice(1).map(d=>Lr(d,s));return a.map(([d,...l])=>({id:Et(d,r).sku_id,cells:l,columns:c}))}return e.map((c,d)=>({row:n.row+d,cells:c,columns:o.slice(Math.max(0,n.column))}))}function Dr(e,n,o,{skus:r,draft:s,started:a}){let c=Cr(o);if(!(c===void 0||n===void 0))return n===de?{...e,purchase_limit:c}:n===ce?a||c===""?void 0:{...e,flash_price:c}:!s||n!=="0"&&!ae(e.sku_id,r)?c===""?e:void 0:Pe(e,n,c)}function zn(e,n,o,r,s){let a=[...e.skus],c={filled:0,skipped:0};for(let d of jr(n,o,r,s)){let l=d.row??a.findIndex(u=>u.sku_id===d.id);if(l<0&&s.draft){let u=s.skus.find(p=>p.sku_id===d.id);l=a.push({...qe(u,s.points),stock:[]})-1}d.cells.forEach((u,p)=>{let h=a[l]&&Dr(a[l],d.columns[p],u,s);h&&(a[l]=h),c[h?"filled":"skipped"]+=1})}return{form:{...e,skus:a},...c}}function Hn(e,n,o){let r=n.map(c=>c===ce?"flash_price":c===de?"purchase_limit":o.find(d=>d.point_id===c)?.point_id??c),s=(c,d)=>d===ce?c.flash_price:d===de?c.purchase_limit:c.stock.find(l=>l.point_id===d)?.quantity??"",a=e.skus.map(c=>[c.sku_id,...n.map(d=>s(c,d))]);return[["sku_id",...r],...a].map(c=>c.join("	")).join(`
`)}var Ar=(e,n)=>n.find(o=>o.sku_id===e)?.title??e;function Kn({form:e,change:n,skus:o,points:r,draft:s,started:a,wrong:c}){let[d,l]=k(),u=lt(e,r),p=ye(()=>u,[u.join()]),h=o.filter(O=>!e.skus.some(w=>w.sku_id===O.sku_id)),$=e.skus.map(O=>O.sku_id).join(),m=(O,w)=>n(S=>({skus:S.skus.map((P,V)=>V===O?{...P,...w(P)}:P)})),f=()=>n({skus:[...e.skus,qe(h[0],r)]}),_=O=>n(w=>({skus:w.skus.filter((S,P)=>P!==O)})),v=O=>{let[,w,S,P="0"]=/^(sku|price|limit|units)-(\d+)(?:-(\d+))?$/.exec(O.target.name)??[],V=Gn(O.clipboardData.getData("text/plain"));if(!w||V.flat().length<2)return;O.preventDefault();let ue={sku:-1,price:0,limit:1,units:2+Number(P)}[w],be={skus:o,points:r,draft:s,started:a},pe=zn(e,V,{row:Number(S),column:ue},[ce,de,...p],be);l({...pe,before:e}),n(pe.form)},x=()=>{n(d.before),l()};return i`<section class="card"><h2>${t("edit_skus")}</h2>
    ${o.length===0&&i`<p class="empty">${t("edit_no_skus")} <a href="#/goods">${t("menu_goods")}</a></p>`}
    <p class="muted">${t("edit_paste_help")}</p>
    ${e.skus.length>0&&i`<${Ur} ...${{form:e,set:m,remove:_,columns:p,skus:o,points:r,draft:s,started:a}}
      used=${$} wrong=${c} take=${v} />`}
    <div aria-live="polite">${d&&i`<p class="notice" id="pasted">
      ${t("pasted",{filled:b(d.filled)})}
      ${d.skipped>0&&i` ${t("pasted_skipped",{skipped:b(d.skipped)})}`}${" "}
      <button type="button" class="quiet" onClick=${x}>${t("undo")}</button></p>`}</div>
    <div class="row">
      ${s&&h.length>0&&i`<button type="button" class="quiet" id="add-sku" onClick=${f}>
        ${t("add_sku")}</button>`}
      ${s&&i`<${Nr} form=${e} change=${n} columns=${p} points=${r} skus=${o} />`}
      <${Ir} text=${()=>Hn(e,[ce,de,...p],r)} /></div></section>`}function Ir({text:e}){let[n,o]=k();return i`<button type="button" class="quiet" id="copy-table" onClick=${async()=>o(await Ye(e())?!0:{text:e()})}>
      ${t(n===!0?"copied":"copy_table")}</button>
    <div role="status" id="copy-failed">${n?.text&&i`<p>${t("copy_failed")}</p>
        <textarea readonly rows="4" aria-label=${t("copy_table")} value=${n.text}
          onFocus=${s=>s.target.select()}></textarea>`}</div>`}function Nr({form:e,change:n,columns:o,points:r,skus:s}){let a=r.filter(l=>!o.includes(l.point_id));if(a.length===0||!e.skus.some(l=>ae(l.sku_id,s)))return null;let c=l=>n({points:[...e.points??[],l.target.value]}),d=[["",t("add_point")],...a.map(l=>[l.point_id,l.name])];return i`<label class="inline"><span class="hidden">${t("add_point")}</span>
    <${vt} name="add-point" value="" options=${d} onChange=${c} /></label>`}function Ur({form:e,set:n,remove:o,columns:r,skus:s,points:a,draft:c,started:d,used:l,wrong:u,take:p}){let h=e.skus.some(m=>ae(m.sku_id,s)),$=m=>h?a.find(f=>f.point_id===m)?.name??m:t("units");return i`<div class="table grid" tabindex="0" role="region" aria-label=${t("edit_skus")}><table onPaste=${p}>
    <thead><tr><th scope="col">${t("sku")}</th>
      <th scope="col">${t("flash_price")}${d&&i`<${Jn} why=${t("locked_started")} />`}</th>
      <th scope="col">${t("sku_limit")}
        ${d&&i`<span class="muted">${t("only_raised")}</span>`}</th>
      ${r.map(m=>i`<th scope="col">${$(m)}
        ${h&&i`<span class="muted">${t("units")}</span>`}
        ${!c&&i`<${Jn} why=${t("edit_stock_live")} />`}</th>`)}
      ${c&&i`<th><span class="hidden">${t("remove_sku")}</span></th>`}</tr></thead>
    <tbody>${e.skus.map((m,f)=>i`
      <${Ct} key=${f} ...${{sku:m,i:f,set:n,remove:o,columns:r,skus:s,draft:c,started:d,used:l,wrong:u,nameOf:$}}
        only=${e.skus.length===1} delivered=${h} />`)}</tbody></table></div>
    ${!c&&i`<p class="muted locked"><${Fe} name="lock" /> ${t("edit_stock_live")}</p>`}
    ${d&&i`<p class="muted locked"><${Fe} name="lock" /> ${t("locked_started_price")}</p>`}`}function Jn({why:e}){return i` <span class="lock" title=${e}><${Fe} name="lock" /><span class="hidden">${e}</span></span>`}var Mr=["sku","i","columns","used","draft","started","wrong","only","delivered"],Ct=class extends Ae{shouldComponentUpdate(n){return Mr.some(o=>n[o]!==this.props[o])}render({sku:n,i:o,set:r,remove:s,columns:a,skus:c,draft:d,started:l,used:u,wrong:p,only:h,nameOf:$}){let m=Ar(n.sku_id,c),f=u.split(","),v=c.filter(w=>w.sku_id===n.sku_id||!f.includes(w.sku_id)).map(w=>[w.sku_id,w.title]);v.some(([w])=>w===n.sku_id)||v.unshift([n.sku_id,n.sku_id]);let x=w=>{let S=w.target.value,P=ae(S,c)?void 0:Pe({stock:[]},"0",Fr(n));r(o,()=>({sku_id:S,flash_price:En(S,c),currency:Te(S,c),...P}))},O=(w,S,P,V,ue)=>i`<td data-name=${S}>
      <${Rr} name=${w} label=${`${m}: ${S}`} value=${P} error=${p[w]}
        onInput=${be=>r(o,pe=>V(pe,be.target.value))} ...${ue} /></td>`;return i`<tr>
      <td data-name=${t("sku")}><${vt} name="sku-${o}" aria-label=${t("sku")} value=${n.sku_id}
          disabled=${!d} options=${v} onChange=${x} aria-invalid=${!!p[`sku-${o}`]}
          aria-describedby=${p[`sku-${o}`]&&`wrong-sku-${o}`} />
        ${p[`sku-${o}`]&&i`<p class="bad" id="wrong-sku-${o}">${p[`sku-${o}`]}</p>`}
        <p class="muted">${Gr(n.sku_id,c)}</p></td>
      ${O(`price-${o}`,t("flash_price"),n.flash_price,(w,S)=>({flash_price:S}),{required:!0,disabled:l})}
      ${O(`limit-${o}`,t("sku_limit"),n.purchase_limit,(w,S)=>({purchase_limit:S}),{min:1,placeholder:t("no_limit")})}
      ${a.map((w,S)=>w!=="0"&&!ae(n.sku_id,c)?i`<td data-name=${$(w)} class="none" title=${t("not_delivered")}>
              <span aria-hidden="true">–</span><span class="hidden">${t("not_delivered")}</span></td>`:O(`units-${o}-${S}`,$(w),n.stock.find(P=>P.point_id===w)?.quantity??"",(P,V)=>Pe(P,w,V),{disabled:!d,required:n.stock.length===0}))}
      ${d&&i`<td><button type="button" class="quiet square" disabled=${h}
          title=${h?t("remove_sku_last"):t("remove_sku")} aria-label=${`${m}: ${t("remove_sku")}`}
          onClick=${()=>s(o)}>×</button></td>`}</tr>`}};function Rr({name:e,label:n,error:o,...r}){return i`<input name=${e} type="number" min="0" step="any" aria-label=${n} onKeyDown=${a=>{if(a.key!=="Enter")return;a.preventDefault();let c=e.replace(/-(\d+)/,(d,l)=>`-${Number(l)+1}`);document.querySelector(`.edit [name="${c}"]`)?.select()}}
      aria-invalid=${!!o} aria-describedby=${o&&`wrong-${e}`} ...${r} />
    ${o&&i`<p class="bad" id="wrong-${e}">${o}</p>`}`}var Fr=e=>e.stock.reduce((n,o)=>n+Number(o.quantity),0);function Gr(e,n){let o=n.find(r=>r.sku_id===e);return o?t("list_price_is",{price:j(o.price,Te(e,n))}):""}var Br=e=>new Promise(n=>{let o=new Image;o.onload=()=>n(!0),o.onerror=()=>n(!1),o.src=e});function zr(e){let[n,o]=k([]);return q(()=>{let r=!0,s=[...new Set(e.filter(Boolean))];return Promise.all(s.map(Br)).then(a=>{let d=s.filter((l,u)=>!a[u]).map(l=>({check:"pictures",level:"warning",detail:l}));r&&o(d.length>0?d:[{check:"pictures",level:"ok"}])}),()=>{r=!1}},[e.join(" ")]),n}function Wn({checks:e,pictures:n,publish:o,then:r}){let s=nn(e),a=[...e,...zr(n)],c=a.some(l=>l.level==="failure"),d=l=>{let u=`check_${l.check}_${l.level}`,p=["limits","prices","stock","times"].includes(l.check)||l.level==="ok";return i`${ke(u)?t(u,{sku:l.sku_id??"",point:l.point_id??""}):l.detail}
      ${ke(u)&&!p&&i`<span class="muted">${l.detail}</span>`}`};return i`<section class="card checks" id="checks" ref=${s} tabindex="-1" aria-labelledby="checks-title">
    <h2 id="checks-title">${t("checks")}</h2>
    <ul>${a.map(l=>i`<li class=${l.level}>
      <span class="level">${t(`level_${l.level}`)}</span> ${d(l)}</li>`)}</ul>
    ${c?i`<p class="bad">${t("checks_failed")}</p>`:i`<${y} route="POST /activities/{activity_id}/publish" label=${t("publish")} kind="go large"
            id="publish" run=${o} then=${r} />`}</section>`}function Hr({id:e}){let{value:n,error:o,reload:r}=N(async()=>{let[s,a,c,d]=await Promise.all([e?g("GET",`/activities/${encodeURIComponent(e)}`):void 0,e?B("/skus",{activity_id:e}):[],B("/skus"),B("/points")]),l=new Map([...a,...c].map(u=>[u.sku_id,u]));return{sale:s,skus:[...l.values()],points:d}});return n?i`<${Wr} ...${n} />`:o?i`<${T} error=${o} retry=${r} />`:i`<${D} />`}function Jr(e,n,o){let r=ye(()=>In(e?.activity_id),[]),[s,a]=k(()=>e?.activity_id??r?.id??we()),[c,d]=k(()=>e?se(e,n):r?.base??Tt(n,o)),[l,u]=k(()=>r?Ce(r.base,r.form,c):c),[p,h]=k(!0),[$,m]=k(r?.at),[f,_]=k(!e),v=!Se(l,c);q(()=>{let S=f?void 0:s;v?h(Nn(S,{form:l,base:c,id:s,at:new Date().toISOString()})):Le(S)},[l,c,s]);let x=()=>a(we());return{id:s,base:c,setBase:d,form:l,setForm:u,unsaved:v,isKept:p,saved:S=>{f&&Le(void 0),_(!1),m(),d(se(S,n)),u(P=>Ce(l,P,se(S,n)))},discard:()=>{let S=f?Tt(n,o):c;m(),d(S),u(S),f&&x()},renew:x,restored:v&&$}}async function Kr(e,n,o){try{return await g("PUT",e,{body:n,create:!0})}catch(r){if(!Xt(r))throw r;let s=await g("GET",e);if(s.state==="draft"&&Se(Ee(se(s,o),o,s),n))return s;throw r}}function Wr({sale:e,skus:n,points:o}){let[r,s]=k(e),a=Jr(e,n,o),{id:c,base:d,setBase:l,form:u,setForm:p,unsaved:h,isKept:$,saved:m,restored:f}=a,[_,v]=k({}),x=Un(h),O=!r||r.state==="draft",w=!O&&ne(r)!=="upcoming",S=Q=>{p(I=>({...I,...typeof Q=="function"?Q(I):Q})),v(I=>I.busy?I:{})},P=`/activities/${c}`,V=Q=>async()=>{try{let I=await g("GET",P);s(I),l(se(I,n)),p(Q?Ce(r?d:{},u,se(I,n)):se(I,n)),v({})}catch(I){v({error:I})}},ue=Q=>async I=>{I?.preventDefault(),v({busy:!0});let Y;try{if(Y=Ee(u,n,r),!O){let yt=await g("PUT",`${P}/file?dry_run=true`,{version:r.version,body:Y});yt.differences.length===0&&m(r),v(yt.differences.length===0?{saved:!0}:{plan:yt,body:Y});return}let $e=await(r?g("PUT",P,{version:r.version,body:Y}):Kr(P,Y,n));s($e),m($e),r||history.replaceState(null,"",`#/edit/${$e.activity_id}`),v(await Q($e))}catch($e){v({error:$e,body:Y})}},be=async({plan:Q,body:I})=>{v({busy:!0});try{await g("PUT",`${P}/file`,{version:Q.version,body:I});let Y=await g("GET",P);s(Y),m(Y),v({saved:!0})}catch(Y){v({error:Y,body:I})}},pe=()=>{a.renew(),v({})},Zo=async Q=>({checks:(await g("GET",`/activities/${Q.activity_id}/checks`)).items}),bt=ye(()=>Ln(_.error,_.body,u,lt(u,o)),[_.error]);return q(()=>{_.error&&document.querySelector(".edit [aria-invalid=true]")?.focus()},[_.error]),i`<${es} sale=${r} draft=${O} path=${P} closed=${s}
      gone=${()=>x.go("#/sales")} />
    ${!O&&i`<p class="notice">${t("edit_published")}</p>`}
    ${f&&i`<p class="notice" id="restored">${t("edit_restored",{time:L(f)})}${" "}
      <button type="button" class="quiet" onClick=${a.discard}>${t("edit_discard")}</button></p>`}
    <form class="edit" onSubmit=${ue(async()=>({saved:!0}))}>
      <${Vr} form=${u} change=${S} wrong=${bt.fields} draft=${O} started=${w}>
        <${Kn} form=${u} change=${S} skus=${n} points=${o} draft=${O} started=${w}
          wrong=${bt.fields} /><//>
      ${!w&&i`<${$n} id=${c} form=${u} />`}
      <${jn} error=${_.error} wrong=${bt} form=${u} mine=${V(!0)} theirs=${V(!1)}
        apart=${!r&&pe} />
      <div class="bar-row row"><${ts} draft=${O} busy=${_.busy} check=${ue(Zo)} />
        <${Fn} form=${u} skus=${n} /><${An} id=${c} form=${u} skus=${n} sale=${r} />
        <${Qr} saved=${_.saved} unsaved=${h} isKept=${$} /></div>
      ${_.checks&&i`<${Wn} checks=${_.checks} pictures=${Yr(r,n)} publish=${()=>Zr(r)}
        then=${Xr} />`}
    </form>
    ${_.plan&&i`<${Rn} plan=${_.plan} apply=${()=>be(_)} close=${()=>v({})} />`}
    <${Mn} ...${x} discard=${()=>Le(r?.activity_id)} />`}function Vr({form:e,change:n,wrong:o,draft:r,started:s,children:a}){let c=m=>({name:m,value:e[m],onInput:f=>n({[m]:f.target.value})}),d=(m,f)=>i`<${Ve} label=${t(m)} error=${o[m]} ...${c(m)} ...${f} />`,l={options:["none","pow","captcha"].map(m=>[m,t(`human_${m}`)]),onChange:m=>n({human_check:m.target.value})},u={placeholder:"10/1",pattern:"[1-9]\\d*/[1-9]\\d*",help:t("limit_form")},p=m=>{let f=new Date(e[m]);if(!Number.isNaN(f.getTime()))return f<new Date?t("time_past",{time:L(f)}):L(f)},h=s?t("locked_started"):void 0,$=r?void 0:t("locked_published");return i`<section class="card"><h2>${t("edit_what")}</h2>
      ${d("title",{required:!0,maxlength:200})}
      ${d("description",{type:"textarea",maxlength:5e3})}
      <div class="columns">
        ${d("image_url",{inputmode:"url",maxlength:500})}
        ${d("shop_id",{required:!0,...te,locked:$})}</div></section>
    <section class="card"><h2>${t("edit_when")}</h2><div class="columns">
      ${d("starts_at",{type:"datetime-local",required:!0,locked:h,help:p("starts_at")})}
      ${d("ends_at",{type:"datetime-local",required:!0,help:p("ends_at")})}
      ${d("pay_within",{type:"number",min:1/60,required:!0,locked:$,help:t("pay_within_help")})}</div></section>
    ${a}
    <section class="card"><h2>${t("edit_gates")}</h2><p class="muted">${t("edit_gates_help")}</p><div class="columns">
      ${d("purchase_limit",{type:"number",min:1,help:t(s?"only_raised":"none_if_empty")})}
      ${d("permit_ratio",{type:"number",min:1,max:100,help:t("permit_ratio_help")})}
      ${d("human_check",l)}
      ${d("paths_per_second",{type:"number",min:.01,help:t("waiting_room_help")})}
      ${["item","user","ip"].map(m=>d(`limit_${m}`,u))}
      ${d("segments",{help:t("segments_help"),maxlength:600})}</div></section>`}function Qr({saved:e,unsaved:n,isKept:o}){return i`<div class="saved" aria-live="polite">
    ${e&&!n&&i`<p class="good" id="saved">${t("saved")}</p>`}
    ${n&&i`<p class="muted" id="unsaved">${t(o?"unsaved":"unsaved_not_kept")}</p>`}</div>`}var Yr=(e,n)=>[e.image_url,...e.skus.map(o=>n.find(r=>r.sku_id===o.sku_id)?.image_url)],Zr=e=>g("POST",`/activities/${e.activity_id}/publish`,{version:e.version}),Xr=e=>{location.hash=`#/live/${e.activity_id}`};function es({sale:e,draft:n,path:o,closed:r,gone:s}){if(!e)return i`<div class="row heading"><h1>${t("new_sale")}</h1></div>`;let a=(c,d,l=e.version)=>g("DELETE",o,{version:l});return i`<div class="row heading"><h1>${e.title}</h1><${tt} sale=${e} />
      ${!n&&i`<a class="button" href="#/live/${e.activity_id}">${t("show_live")}</a>`}
      <${it} sale=${e} /><${at} sale=${e} then=${r} />
      ${n&&i`<${y} route="DELETE /activities/{activity_id}" label=${t("delete")}
          title=${t("delete_title",{name:e.title})} kind="danger"
        help=${t("delete_draft_help")}
        run=${a} then=${()=>{Le(e.activity_id),s()}} />`}</div>`}function ts({draft:e,busy:n,check:o}){return i`<button class=${e?"quiet":"go"} id="save" disabled=${n}>
      ${t(e?"save_draft":"save")}</button>
    ${e&&i`<button type="button" class="go" id="check" disabled=${n}
      onClick=${r=>r.target.form.reportValidity()&&o()}>${t("check_and_publish")}</button>`}`}var ns=/^[!-~]{1,64}$/,os=/^"((?:[^"]|"")*)"$/,rs=/^="((?:[^"]|"")*)"$/,ss=/^([+-]?\d([.,]\d+)?E[+-]\d+|#(N\/A|NV|NAME|\S*[!?]|#+))$/i,ge="(0?[1-9]|[12]\\d|3[01])",Lt="(0?[1-9]|1[0-2])",ut="(\\d{2}|[12]\\d{3})",Vn="([Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)",is=[`${ge}\\.${Lt}\\.${ut}`,`${ge}/${ge}/${ut}`,`[12]\\d{3}-${Lt}-${ge}`,`[12]\\d{3}/${Lt}/${ge}`,`${Vn}-${ut}`,`${ge}-${Vn}(-${ut})?`],as=new RegExp(`^(${is.join("|")})$`),cs=/(code|voucher|coupon|key|pin|serial|number)s?$/i,Qn=e=>/\d/.test(e),Yn=(e,n)=>e.exec(n)?.[1].replaceAll('""','"').trim();function ds(e){let n=Yn(os,e),o=Yn(rs,n??e);return o!==void 0?o:n===void 0&&/^=?"|[,;\t]/.test(e)?"":(n??e).replace(/^'/,"").trim()}function ls(e){return e.length===0||Qn(e[0])?!1:cs.test(e[0])||e.length>1&&e.slice(1).every(Qn)}function jt(e="",n=!0){let o={codes:[],wrong:[]},r=0;return e.split(`
`).forEach((s,a)=>{if(!s.trim())return;let c=ds(s.trim()),d=n&&(ss.test(c)||as.test(c));if(!ns.test(c)||d)return o.wrong.push(a+1);r||=a+1,o.codes.push(c)}),n&&ls(o.codes)&&o.wrong.unshift(r),o}var Zn=1e4,Dt=1e5,Xn=5,us=e=>t("codes_refused",{count:b(e.length),lines:e.slice(0,Xn).join(", ")+(e.length>Xn?" …":"")}),eo=()=>t("codes_most",{most:b(Dt)});function to({codes:e},n){let o=jt(e,n),r=t("codes_counted",{codes:b(o.codes.length)});return i`${r}${o.wrong.length>0&&i`<br />${us(o.wrong)}`}`}async function ps({target:e}){let[n]=e.files;if(e.setCustomValidity(n?.size>Dt*66?eo():""),!n||!e.reportValidity())return;let{codes:o}=e.form.elements;o.value=await n.text(),o.dispatchEvent(new Event("input",{bubbles:!0}))}function no(e,n){let{codes:o,wrong:r}=jt(e,n);if(r.length)throw new Error(t("codes_nothing"));if(o.length>Dt)throw new Error(eo());return o}function oo(e,n){let o=C({text:"",key:""});return async(r,s={})=>{let a=JSON.stringify([r,s]);o.current.text!==a&&(o.current={text:a,key:we()});let c=[];for(let d=0;d===0||d<r.length;d+=Zn){let l={...s,codes:r.slice(d,d+Zn)},u=`/skus/${encodeURIComponent(e.sku_id)}/vouchers:${n}`;c.push(await g("POST",u,{key:`${o.current.key}-${d}`,body:l}))}return o.current={text:"",key:""},c}}var ro=({done:e,sku:n,...o})=>t(`codes_${e}`,{sku:n,...Object.fromEntries(Object.entries(o).map(([r,s])=>[r,b(s)]))}),so=e=>[{name:"codes",label:t("codes"),type:"textarea",rows:8,required:e,spellcheck:!1},{name:"file",label:t("codes_file"),type:"file",accept:".txt,.csv,text/plain",onChange:ps}];function io({sku:e,then:n}){let o=oo(e,"import"),r=async({codes:s})=>{let a={imported:0,known:0,repeated:0};for(let{accepted:c,skipped:d}of await o(no(s,!0))){a.imported+=c;for(let{reason:l}of d)a[l]+=1}return{done:"imported",sku:e.sku_id,...a}};return i`<${y} route="POST /skus/{sku_id}/vouchers:import" id="import-${e.sku_id}"
    label=${t("import_codes")} title=${t("import_codes_title",{name:e.title})} help=${t("import_codes_help")}
    fields=${so(!0)} preview=${s=>to(s,!0)} run=${r} then=${n} />`}function ao({sku:e,then:n}){let o=oo(e,"withdraw"),r=async({codes:d,all:l})=>{let u=[...new Set(no(d,!1))];if(!!l==u.length>0)throw new Error(t("withdraw_codes_which"));let h=(await o(u,{all:!!l})).reduce(($,m)=>$+m.withdrawn,0);return{done:"withdrawn",sku:e.sku_id,withdrawn:h,kept:l?0:u.length-h}},s=t("type_to_confirm",{what:e.sku_id}),a=[...so(!1),{name:"all",label:t("withdraw_codes_all"),type:"checkbox"},{name:"confirm",label:s,required:!0,pattern:e.sku_id.replaceAll(".","\\.")}],c=d=>d.all&&!d.codes?t("withdraw_codes_all"):to(d,!1);return i`<${y} route="POST /skus/{sku_id}/vouchers:withdraw" id="withdraw-${e.sku_id}" kind="danger"
    label=${t("withdraw_codes")} title=${t("withdraw_codes")} help=${t("withdraw_codes_help")} fields=${a}
    preview=${c} run=${r} then=${n} />`}var $s=()=>["physical","virtual","voucher"].map(e=>[e,t(`kind_${e}`)]),pt=e=>`/skus/${encodeURIComponent(e)}`;function co(e){let n=o=>e?Z(o,e.currency):"";return[...e?[]:[{name:"sku_id",label:t("sku_id"),required:!0,...te}],{name:"title",label:t("title"),required:!0,maxlength:200,initial:e?.title},{name:"description",label:t("description"),type:"textarea",maxlength:2e3,initial:e?.description},{name:"shop_id",label:t("shop_id"),required:!0,...te,initial:e?.shop_id??ze()},{name:"kind",label:t("kind"),options:$s(),initial:e?.kind},{name:"currency",label:t("currency"),required:!0,pattern:"[A-Z]{3}",initial:e?.currency??"CNY"},{name:"price",label:t("list_price"),type:"number",min:0,required:!0,initial:n(e?.price)},{name:"fee",of:"freight.fee",label:t("freight"),type:"number",min:0,initial:n(e?.freight.fee)},{name:"free_over",of:"freight.free_over",label:t("free_over"),help:t("free_over_help"),type:"number",min:0,initial:n(e?.freight.free_over)},{name:"required_fields",label:t("required_fields"),help:t("required_fields_help"),type:"textarea",maxlength:1500,initial:e?.required_fields?.join(`
`)},{name:"image_url",label:t("image_url"),maxlength:500,initial:e?.image_url},...e?[]:[{name:"stock",label:t("ordinary_stock"),type:"number",min:0,initial:0}]]}var lo=e=>(n,o,r)=>Ke(e,pt(e?.sku_id??n.sku_id),{body:{title:n.title,description:n.description,shop_id:n.shop_id,kind:n.kind,currency:n.currency,image_url:n.image_url,required_fields:n.required_fields.split(`
`).map(s=>s.trim()).filter(Boolean),price:H(n.price,n.currency),freight:{fee:H(n.fee,n.currency)??0,free_over:H(n.free_over,n.currency)??0},...n.stock&&{stock:Number(n.stock)}}},r);function ms({query:e}){let n=new URLSearchParams(e).get("sku_id");return n?i`<${fs} id=${n} />`:i`<${_s} />`}function fs({id:e}){return i`<${uo} list=${Qe(pt(e))}><p><a href="#/goods">${t("all_goods")}</a></p><//>`}function _s(){let[e,n]=k({shop_id:""}),o=G("/skus",e);return i`<${uo} list=${o}><${ee} values=${e} change=${n}
    fields=${[{name:"shop_id",label:t("shop_id"),maxlength:te.maxlength}]} /><//>`}function uo({list:e,children:n}){let[o,r]=k(),s=[[i`<span class="hidden">${t("image_url")}</span>`,a=>i`<span class="thumb">
      <${Ge} url=${a.image_url} title=${a.title} tone=${Be(a.sku_id)} /></span>`,"thumbnail"],[t("title"),a=>i`<b>${a.title}</b><p class="muted"><code>${a.sku_id}</code></p>`,"lead wide"],[t("shop"),a=>a.shop_id,"named"],[t("kind"),a=>t(`kind_${a.kind}`)],[t("list_price"),a=>j(a.price,a.currency),"number named"],[t("freight"),a=>j(a.freight.fee,a.currency),"number named"],[t("ordinary_stock"),a=>b(a.stock),"number named"],["",a=>i`<div class="row actions many">
      <${y} route="PUT /skus/{sku_id}"
        label=${t("edit")} title=${t("edit")} fields=${co(a)} run=${lo(a)} then=${e.reload} />
      <${hs} sku=${a} then=${e.reload} />
      ${a.kind==="voucher"&&i`<${io} sku=${a} then=${r} /><${ao} sku=${a} then=${r} />`}
      <${y} route="DELETE /skus/{sku_id}"
        label=${t("delete")} title=${t("delete_title",{name:a.title})} kind="danger"
        help=${t("delete_sku_help")}
        run=${(c,d,l=a.version)=>g("DELETE",pt(a.sku_id),{version:l})}
        then=${e.reload} /></div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_goods")}</h1>
      <${y} route="PUT /skus/{sku_id}"
        label=${t("new_sku")} title=${t("new_sku")} kind="go" fields=${co()} run=${lo()}
        then=${e.reload} /></div>
    ${n}
    <p role="status" id="codes" class=${o?"notice":""}>${o&&ro(o)}</p>
    <${z} list=${e} name=${t("menu_goods")} columns=${s} empty=${t("goods_none")}
      keyOf=${a=>a.sku_id} />`}function hs({sku:e,then:n}){let o=`${pt(e.sku_id)}/stock`,r=(d,l)=>t(l,{sku:e.title,before:b(e.stock),after:b(ot(e.stock,d))}),s=(d,l)=>g("POST",o,{key:l,body:{delta:d}}),a=(d,l,u=e.stock_version)=>d.how==="set"?g("PUT",o,{version:u,body:{stock:Number(d.units)}}):s(he(d),l),c=(d,l)=>{let u=l.how==="set"?e.stock-Number(l.units):-he(l);return u!==0&&(p=>s(u,p))};return i`<${y} route="POST /skus/{sku_id}/stock" label=${t("change_stock")} title=${t("change_stock")}
    help=${t("set_stock_help")} id="stock-${e.sku_id}" fields=${nt()} run=${a} then=${n}
    preview=${d=>r(d,"goods_stock_preview")} done=${(d,l)=>r(l,"done_goods_stock")}
    undo=${c} />`}function po({label:e,view:n,id:o}){return i`<form class="row" onSubmit=${s=>{s.preventDefault(),location.hash=`#/${n}/${encodeURIComponent(Kt(s.target)[o])}`}}>
    <${Ve} name=${o} label=${e} required maxlength="64" autocomplete="off" spellcheck=${!1} />
    <button class=${n==="voucher"?"go":""}>${t("show")}</button></form>`}function gs({me:e,links:n}){return i`<div class="row heading"><h1>${t("home_title",{name:e.name.replace("key:","")})}</h1></div>
    <p>${e.shop_id?t("own_shop_help"):t(`scope_${e.scope}_help`)}</p>
    ${e.scope==="till"&&i`<section class="card">
      <${po} label=${t("voucher_code")} view="voucher" id="code" />
      <${po} label=${t("order_number")} view="order" id="number" /></section>`}
    ${n.length>0&&i`<ul>${n.map(([o,r])=>i`<li><a href="#/${o}">${t(`menu_${r}`)}</a></li>`)}</ul>`}
    ${!E("POST /keys")&&i`<p class="muted">${t("home_help")}</p>`}`}function bs({route:e}){let n=(Vt(e)??[]).map(o=>t(`scope_${o}`));return n.length?i`<div class="problem" role="alert"><p>${t("not_in_scope")}</p>
    <p class="muted">${t("scopes_needed",{scopes:n.join(", ")})}</p></div>`:i`<p class="problem" role="alert">${t("not_of_a_shop")}</p>`}var ys=["till","support","catalogue","read","events","payments","admin"];function $o(e){return e.revoked_at?"revoked":e.expires_at&&Date.parse(e.expires_at)<=Me()?"expired":"active"}function ks({revoked_at:e,revoked_by:n,expires_at:o}){return e?i`<${A} at=${e} /><p class="muted">${n}</p>`:o?i`<${A} at=${o} />`:t("no_end")}function vs(){let e=G("/keys"),[n,o]=k(),r=[{name:"name",label:t("name"),help:t("key_name_help"),required:!0,maxlength:60},{name:"scope",label:t("scope"),options:ys.map(d=>[d,t(`scope_${d}`)]),initial:"till"},{name:"shop",of:"shop_id",label:t("shop"),help:t("key_shop_help"),...te},{name:"until",of:"expires_at",label:t("key_until"),help:t("key_until_help"),type:"datetime-local"}],s=({name:d,scope:l,shop:u,until:p},h)=>g("POST","/keys",{key:h,body:{name:d,scope:l,...u&&{shop_id:u},...p&&{expires_at:new Date(p).toISOString()}}}),a=d=>{o(d),e.reload()},c=[[t("name"),d=>i`<b>${d.name}</b>`,"lead"],[t("scope"),d=>i`<span title=${t(`scope_${d.scope}_help`)}>${t(`scope_${d.scope}`)}</span>`],[t("shop"),d=>d.shop_id??t("all_shops"),"named"],[t("state"),d=>i`<${R} state=${$o(d)} />`],[U(t("last_used")),d=>d.last_used_at?i`<${A} at=${d.last_used_at} />`:t("never"),"named"],[U(t("made")),d=>i`<${A} at=${d.created_at} /><p class="muted">${d.created_by}</p>`,"named"],[U(t("ends")),ks,"named"],["",d=>$o(d)==="active"&&i`<${y} label=${t("revoke")} title=${t("revoke_title",{name:d.name})} help=${t("revoke_help")}
        kind="danger" id="revoke-${d.key_id}" run=${()=>g("DELETE",`/keys/${d.key_id}`)} then=${e.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_keys")}</h1>
      <${y} label=${t("new_key")} kind="go" id="new-key" title=${t("new_key")} fields=${r} run=${s}
        then=${a} preview=${({scope:d="till"})=>t(`scope_${d}_help`)} /></div>
    <p class="muted">${t("keys_help")}</p>
    <${z} list=${e} name=${t("menu_keys")} columns=${c} empty=${t("keys_none")}
      keyOf=${d=>d.key_id} />
    ${n&&i`<${un} title=${t("key_made",{name:n.name})} help=${t("key_made_help")} secret=${n.secret}
        close=${()=>o()} />`}`}var fo=1e3,ws=300;async function mo(e){let n=e&&{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)},o=await Bt(Ft("/dev/crowd"),n||{}).catch(()=>{throw{code:"unreachable"}}),r=await o.json();if(!o.ok)throw r;return r}function xs(e){let[n,o]=k(),[r,s]=k(),[a,c]=k(""),[d,l]=k(0),u=C(!1),p=!!n?.running;return q(()=>{let $=!0,m=setTimeout(()=>mo().then(f=>{if($){if(f.activity_id!==e||!f.buyers){o(void 0);return}o(f),f.running&&s(),p&&!f.running&&c(t("crowd_ended",{ordered:b(f.ordered),refused:b(f.refused),drift:b(f.drift)})),l(_=>_+(f.running?1:0))}},()=>$&&l(f=>f+(p?1:0))),p?ws:0);return()=>{$=!1,clearTimeout(m)}},[e,d]),{crowd:n,error:r,said:a,running:p,send:async()=>{if(!u.current){u.current=!0,s();try{let $=await mo({activity_id:e,buyers:fo});o($),c(t("crowd_begun",{count:b($.buyers)}))}catch($){s($)}u.current=!1,l($=>$+1)}}}}function _o({activity:e,sells:n=!0}){let{crowd:o,error:r,said:s,running:a,send:c}=xs(e);if(!n&&!o)return null;let d=b(fo),l=t(o?"crowd_again":"crowd_send",{count:d}),u=a?t("crowd_running",{count:b(o.buyers)}):l;return i`<section class="crowd card" aria-labelledby="crowd-title">
    <div class="crowd-head"><div><span class="badge">${t("crowd_demo")}</span>
        <h2 id="crowd-title">${t("crowd_title",{count:d})}</h2>
        <p class="muted">${t("crowd_help")}</p></div>
      <button
        id="send-crowd"
        class="large"
        disabled=${a||!n}
        onClick=${c}
      >${u}</button></div>
    ${r?.code==="conflict"?i`<p class="problem" role="alert">${t("crowd_busy")}</p>`:i`<${T} error=${r} />`}
    ${o&&i`<${Os} crowd=${o} />`}
    <p class="hidden" role="status">${s}</p>
  </section>`}function Os({crowd:e}){let n=[["bought",e.ordered],["refused",e.refused],["waiting",e.waiting]],o=Math.max(e.elapsed_ms,1)/1e3,r=e.units_before-e.units_left,s=e.ok!==void 0,a=!e.running&&r===e.ordered,c={sold:b(r),total:b(e.units_before)},d=e.drift===0?"good":"bad",l=(u,p,h="")=>i`<div class="fact ${u} ${h}"><dt>${t(`crowd_${u}`)}</dt>
    <dd>${p}${h==="good"&&i`<span aria-hidden="true"> ✓</span>`}</dd></div>`;return i`<div class="outcome ${e.running?"running":"over"}">
    <div class="crowd-bar" aria-hidden="true">${n.map(([u,p])=>i`
      <span class=${u} style=${{width:`${100*p/e.buyers}%`}}></span>`)}</div>
    <dl class="crowd-numbers">${n.map(([u,p])=>i`<div class=${u}>
      <dt>${t(`crowd_${u}`)}</dt><dd>${b(p)}</dd></div>`)}</dl>
    <dl class="crowd-facts">
      ${l("sold",t("crowd_sold_of",c),a?"good":"")}
      ${l("drift",s?b(e.drift):"…",s?d:"")}
      ${l("rate",b(Math.round(e.requests/o)))}
      ${l("time",t("crowd_seconds",{seconds:o.toFixed(1)}))}</dl>
    <${Ss} answers=${e.answers} /></div>`}function Ss({answers:e}){let n={};for(let[s,a]of Object.entries(e)){let c=s.slice(s.indexOf(":")+1);c!=="ok"&&(n[c]=(n[c]??0)+a)}let o=Object.entries(n).sort(([,s],[,a])=>a-s);if(o.length===0)return null;let[[,r]]=o;return i`<div class="told"><h3>${t("crowd_told")}</h3>
    <ul>${o.map(([s,a])=>i`<li key=${s}><span>${Ts(s)}</span><b>${b(a)} ×</b>
      <span class="told-bar" aria-hidden="true">
        <span style=${{width:`${100*a/r}%`}}></span></span></li>`)}</ul></div>`}function Ts(e){for(let n of[`crowd_told_${e}`,`problem_${e}`])if(ke(n))return t(n);return e}function Ps(e){return e.ok?!0:e.changes_stuck>0&&e.bought_wrong===0&&_e([...e.items,...e.totals])===0}function qs(e){let n=new Map;for(let o of e)n.has(o.sku_id)||n.set(o.sku_id,[]),n.get(o.sku_id).push(o);return[...n].map(([o,r])=>({sku_id:o,points:r,...Yt(r)}))}function ho({audit:e,sale:n,again:o}){let r=qs(e.items),s=r.map(p=>p.sku_id),[a,c]=k(()=>new Set(s.length<=10?s:[])),d=p=>c(h=>{let $=new Set(h);return $.delete(p)||$.add(p),$}),l=a.size===s.length,u=Ps(e);return i`<section class="account"><div class="row heading"><h2>${t("account")}</h2>
      <span class="badge ${ie(u)}">${t(u?"account_ok":"account_wrong")}</span>
      ${!u&&i`<${y} route="POST /activities/{activity_id}/audit/repair"
          label=${t("repair")} title=${t("repair")} help=${t("repair_help")} kind="danger"
        run=${(p,h)=>g("POST",`/activities/${n.activity_id}/audit/repair`,{key:h})} then=${o} />`}
      <button class="quiet" id="all-points" onClick=${()=>c(new Set(l?[]:s))}>
        ${t(l?"fold_points":"show_points")}</button></div>
    <p class="muted">${t("account_rule")}</p>
    ${e.changes_pending>0&&i`<p class="notice">
      ${t("changes_pending",{changes:b(e.changes_pending)})}${" "}
      ${e.changes_stuck>0&&t("changes_stuck",{changes:b(e.changes_stuck)})}</p>`}
    <div class="table wide" tabindex="0" role="region" aria-label=${t("account")}><table role="table">
      <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${t("sku")}</th>
        <th scope="col" role="columnheader">${t("point")}</th>
        ${Je.map(p=>i`
        <th scope="col" role="columnheader" class="number">${t(`units_${p}`)}</th>`)}</tr></thead>
      ${r.map(p=>i`<tbody role="rowgroup" key=${p.sku_id}>
        <${$t} sku=${p.sku_id} values=${p} open=${a.has(p.sku_id)} toggle=${d} />
        ${a.has(p.sku_id)&&p.points.map(h=>i`
          <${$t} key=${h.point_id} point=${h.point_id} values=${h} />`)}</tbody>`)}
    </table></div></section>`}var $t=class extends Ae{shouldComponentUpdate(n){return n.open!==this.props.open||Je.some(o=>n.values[o]!==this.props.values[o])}render({sku:n,point:o,values:r,open:s,toggle:a}){return i`<tr class=${n?"sum":""} role="row">
      <td class="name" role="cell">${n&&i`<button class="fold" aria-expanded=${s} onClick=${()=>a(n)}>${n}</button>`}</td>
      <td class="name" role="cell" data-name=${o&&t("point")}>${o}</td>
      ${Je.map(c=>{let d=c==="drift"?ie(r.drift===0):"",l=t(`units_${c}`);return i`<td class="number ${d}" role="cell" data-name=${l}>${b(r[c])}</td>`})}</tr>`}};var Es=1e4,go=["pointerdown","keydown"],bo=Ne("alarm_sound"),X,yo;function mt(){return X??=new AudioContext,X.resume()}function ko(){yo??=mt().then(()=>{yo=void 0,Cs()})}function Cs(){for(let[e,n]of[[0,880],[.25,660]]){let o=X.createOscillator(),r=X.createGain();o.frequency.value=n,r.gain.value=.2,o.connect(r).connect(X.destination),o.start(X.currentTime+e),o.stop(X.currentTime+e+.2)}}function Ls(e){let[,n]=k(0);return q(()=>{if(!e)return;mt();let o=()=>n(r=>r+1);o(),X.addEventListener("statechange",o);for(let r of go)addEventListener(r,mt,!0);return()=>{X.removeEventListener("statechange",o);for(let r of go)removeEventListener(r,mt,!0)}},[e]),!X||X.state==="running"}function vo(){let[e,n]=k(localStorage.getItem(bo)==="on");return[e,r=>{localStorage.setItem(bo,r?"on":"off"),n(r),r&&ko()}]}function At(e,n){let o=C(0);return{...K(e,async()=>{o.current||=Date.now();try{let s=await n();return o.current=0,s}catch(s){throw s.status<500&&(o.current=0),s}},!0),since:o.current}}function wo({value:e,since:n},{value:o,since:r}){let s=o&&_e([...o.items,...o.totals]),a=[],c=d=>d>0&&Date.now()-d>Es;return(c(n)||c(r))&&a.push(["stale",t("alarm_stale")]),o&&!o.ok&&a.push(["drift",s>0?t("alarm_drift",{drift:b(s)}):t("account_wrong")]),e?.queue.dead>0&&a.push(["dead",t("alarm_dead",{dead:b(e.queue.dead)})]),a}function xo({on:e,change:n}){let o=Ls(e);return i`<label class="option sound"><input type="checkbox" id="sound" checked=${e}
      onChange=${r=>n(r.target.checked)} />${t("alarm_sound")}</label>
    <p class="muted" role="status" id="sound-waits">${e&&!o&&t("alarm_waits")}</p>`}function Oo({title:e,reasons:n,on:o}){let r=C(new Set),s=n.map(([a])=>a).join();return q(()=>{document.title=`${n.length>0?`(${n.length}!) `:""}${e} · Onrush`},[e,n.length]),q(()=>{o&&n.some(([a])=>!r.current.has(a))&&ko(),r.current=new Set(n.map(([a])=>a))},[s]),i`<div role="alert" class="alarms">${n.map(([a,c])=>i`<p key=${a} class="problem" id="alarm-${a}">${c}</p>`)}</div>`}var It=5,So=({code:e})=>i`${W("refusal",e).replace(e,"")} <code class="muted below">${e}</code>`;function To({stats:e}){let{value:n,error:o,reload:r}=K(3e3,()=>g("GET",`/refusals?minutes=${It}`)),s=Object.entries(e.answers).map(([p,h])=>({call:p.split(":")[0],code:p.split(":")[1],n:h})).sort((p,h)=>h.n-p.n),a=Math.max(1,...s.map(({n:p})=>p)),c=({n:p})=>i`<${Wt} value=${p} of=${a} />`,d=[[t("call"),p=>t(`call_${p.call}`)],[t("code"),p=>i`<${So} code=${p.code} />`,"lead"],[t("share"),c],[t("count"),p=>b(p.n),"number end"]],l=[[t("code"),p=>i`<${So} code=${p.code} />`,"lead"],[t("count"),p=>b(p.requests),"number end"]],u=[["rooms","room_id"],["share_sources","share_source"]].filter(([p])=>e[p].length);return i`<div class="columns">
    <section><h2>${t("answers")}</h2>
      <${F} name=${t("answers")} rows=${s} columns=${d} empty=${t("answers_none")}
        keyOf=${p=>`${p.call}:${p.code}`} /></section>
    <section><h2>${t("refusals",{minutes:It})}</h2>
      <${T} error=${o} retry=${r} />
      ${n&&i`<${F} name=${t("refusals",{minutes:It})} rows=${n.items} columns=${l}
        empty=${t("refusals_none")} keyOf=${p=>p.code} />`}</section>
    ${u.map(([p,h])=>i`<${js} name=${p} id=${h} stats=${e} />`)}</div>`}function js({name:e,id:n,stats:o}){let r=a=>`#/money/orders?${new URLSearchParams({activity_id:o.activity_id,[n]:a[n]})}`,s=[[t(e),a=>i`<a href=${r(a)}>${a[n]}</a>`,"lead"],[t("orders"),a=>b(a.orders),"number end"]];return i`<section><h2>${t(e)}</h2>
    <${F} name=${t(e)} rows=${o[e]} columns=${s} empty="" keyOf=${a=>a[n]} /></section>`}var Po=150,Ds=300;function Nt({title:e,times:n,series:o}){let r=C(),s=C(),[a,c]=k(),d=[n.map($=>$/1e3),...o.map($=>$.values)],l=C(d);l.current=d,q(()=>{let $=!1,m=matchMedia("(prefers-color-scheme: dark)"),f=async()=>{let{default:v}=await import("./uplot-2LURMCIS.js");$||(s.current?.destroy(),s.current=new v(As(r.current.clientWidth,o,c),l.current,r.current))},_=new ResizeObserver(()=>s.current?.setSize({width:r.current.clientWidth,height:Po}));return f(),m.addEventListener("change",f),_.observe(r.current),()=>{$=!0,m.removeEventListener("change",f),_.disconnect(),s.current?.destroy()}},[]),q(()=>{s.current?.setData(l.current)});let u=a??n.length-1,p=({values:$})=>$[u]==null?"–":b($[u]),h=o.every(({values:$})=>$.filter(m=>m!=null).length<2);return i`<figure class="card chart">
    <figcaption><b>${e}</b>${a!==void 0&&i` <span class="muted">${He(n[a])}</span>`}${o.map($=>i`
      <span class="line ${$.color}">${$.label} <b>${p($)}</b></span>`)}</figcaption>
    ${h&&i`<p class="muted nothing">${t("chart_empty")}</p>`}
    <div ref=${r} aria-hidden="true"></div></figure>`}function As(e,n,o){let r=getComputedStyle(document.documentElement),s=d=>r.getPropertyValue(`--${d}`).trim(),a={stroke:s("muted"),grid:{stroke:s("line"),width:1},ticks:{show:!1},font:"11px system-ui"},c=new Intl.DateTimeFormat(Ue,{hour:"2-digit",minute:"2-digit",hourCycle:"h23"});return{width:e,height:Po,legend:{show:!1},cursor:{y:!1,drag:{x:!1},points:{size:7}},hooks:{setCursor:[({cursor:d})=>o(d.idx??void 0)]},scales:{x:{range:(d,l,u)=>[Math.min(l,u-Ds),u]},y:{range:(d,l,u)=>[Math.min(0,l),Math.max(1,u*1.1)]}},axes:[{...a,values:(d,l)=>l.map(u=>c.format(u*1e3)),space:70,size:30},{...a,size:52,values:(d,l)=>l.map(u=>Number.isInteger(u)?b(u):"")}],series:[{},...n.map(d=>({stroke:s(d.color),width:2,fill:`${s(d.color)}22`,points:{show:!1},spanGaps:!0}))]}}var qo=5e3,Eo=720;function Co(e,n){let o=Date.parse(n.server_time);if(e.length&&o-e.at(-1).at<qo)return e;let r=s=>n.partial&&!s?void 0:s;return[...e,{at:o,orders_per_second:r(n.orders_per_second),remaining:fe(n)??null,unpaid:r(n.unpaid),paid:r(n.paid)}].slice(-Eo)}function Lo(e,n){let o=e.map(s=>({...s,at:Date.parse(s.at)}));return[...new Map([...n,...o].map(s=>[Math.floor(s.at/qo),s])).values()].sort((s,a)=>s.at-a.at).slice(-Eo)}function jo({points:e}){let n=e.map(a=>a.at),o=(a,c,d)=>({label:a,color:c,values:d}),r=a=>e.map(c=>c[a]??null),s=(a,c,d)=>i`
    <${Nt} title=${t(a)} times=${n} series=${[o("",c,d)]} />`;return i`<section class="charts" aria-label=${t("charts")}>
    ${s("orders_per_second","link",r("orders_per_second"))}
    ${s("left","link",r("remaining"))}
    <${Nt} title=${t("unpaid_paid")} times=${n}
      series=${[o(t("state_unpaid"),"warn",r("unpaid")),o(t("state_paid"),"good",r("paid"))]} />
  </section>`}var No=5,Is=100,ft=6e4,Do=6;async function Uo(e){if(!E("GET /orders"))return;let n=Me()-e.pay_within_s*1e3+No*ft,o=new URLSearchParams({activity_id:e.activity_id,status:"unpaid",to:new Date(n).toISOString(),page_size:String(Is)}),{items:r,next_cursor:s,partial:a}=await g("GET",`/orders?${o}`);return a?void 0:{units:r.flatMap(d=>d.items).reduce((d,l)=>d+l.quantity,0),more:!!s}}function Ns(e){let n=e.filter(s=>s.paid!==void 0),o=n.at(-1),r=n.find(s=>o.at-s.at<=ft);if(!(!o||o.at-r.at<ft/6))return Math.max(0,Math.round((o.paid-r.paid)*ft/(o.at-r.at)))}var Us=(e,n)=>new Intl.NumberFormat(Ue,{style:"percent",maximumFractionDigits:1}).format(e/n),Ms=e=>e?t("peak",{orders:b(e.orders),time:He(e.at)}):"",Ao=e=>e===1?t("of_order"):t("of_orders",{orders:typeof e=="number"?b(e):e}),Rs=e=>t("room_length",{admitted:b(e.admitted),time:ve(e.last_waits_s*1e3)});function Mo({sale:e,skus:n,stats:o,audit:r,coming:s,points:a}){let c=x=>o.partial&&x===0?"–":x,d=x=>o.loaded?me(o.stock,x):"–",l=r?me(r.items,"remaining"):fe(o),u=me(r?r.items:o.stock,"total"),p=o.placed+o.unpaid+o.paid+o.refunded+o.cancelled+o.failed,h=o.paid+o.refunded,$=Ns(a),m=s&&(s.more?`${b(s.units)}+`:s.units),f=o.loaded&&n&&dn(e,n,o.stock),_=o.waiting_room,v=[["left",l??"–",t("of_total",{total:b(u)})],["orders_per_second",c(o.orders_per_second),Ms(o.peak)],["paid_units",d("paid"),Ao(c(o.paid))],["held",d("held"),Ao(c(o.unpaid+o.placed))],["revenue",f?ln(f):"–",t("revenue_note")],["drift",r?_e(r.items):"–","",r?ie(r.ok):""],["dead",c(o.queue.dead),"",o.queue.dead?"bad":""],["coming_back",m??"–",t("coming_back_note",{minutes:No})],["paid_rate",p>0&&!o.partial?Us(h,p):"–",$===void 0?"":t("paid_minute",{n:b($)})],["state_cancelled",c(o.cancelled)],["in_room",_?_.waiting:"–",_?Rs(_):t("room_none_short")],["queued",c(o.queue.length),t("oldest_age",{time:ve(o.queue.oldest_ms)})]];return i`<${Io} figures=${v.slice(0,Do)} />
    <details class="more-figures"><summary>${t("more_figures")}</summary>
      <${Io} figures=${v.slice(Do)} /></details>`}function Io({figures:e}){return i`<dl class="figures six">${e.map(([n,o,r,s=""])=>i`
    <div id="figure-${n}" class=${s}><dt>${t(n)}</dt>
      <dd>${typeof o=="number"?b(o):o} <small>${r}</small></dd></div>`)}</dl>`}function Ro({children:e}){let n=C();return q(()=>{let r=s=>{let{current:a}=n;!a.contains(s.target)&&!a.querySelector("dialog")&&(a.open=!1)};return addEventListener("pointerdown",r),addEventListener("focusin",r),()=>{removeEventListener("pointerdown",r),removeEventListener("focusin",r)}},[]),i`<details class="menu" ref=${n} onKeyDown=${r=>{r.key!=="Escape"||n.current.querySelector("dialog")||(n.current.open=!1,n.current.querySelector("summary").focus())}}>
    <summary class="button quiet">${t("more_actions")}</summary><div>${e}</div></details>`}var Ut="PATCH /activities/{activity_id}",_t=[.1,.2,.5,1,2,5,10,20,30,50,75,100,150,200,300,500,750,1e3,2e3,5e3,1e4],Fs=e=>_t.reduce((n,o,r)=>Math.abs(o-e)<Math.abs(_t[n]-e)?r:n,0),Gs=(e,n,o)=>({waiting:b(e.waiting),admitted:b(e.admitted),time:ve((o?e.last_waits_s:e.waiting/n)*1e3),rate:b(n)});function Fo({sale:e,line:n,then:o}){let[r,s]=k();if(!["upcoming","running"].includes(ne(e)))return null;let a=e.waiting_room?.paths_per_second??-1,c=a>0,d=r??(c?a:10),l=c&&d===a,u=f=>()=>h(a)({},"",f.version),p=f=>{let _=f.waiting_room?.paths_per_second??-1;return _>0?t("done_room",{rate:b(_)}):t("done_room_ended")},h=f=>(_,v,x)=>g("PATCH",`/activities/${e.activity_id}`,{version:x??e.version,body:{waiting_room:{paths_per_second:f}}}),$=()=>{s(),o()},m=f=>Number(f.target.value)>=.01&&s(Number(f.target.value));return i`<details class="card room" id="room" open=${c}>
    <summary><h2>${t("room")}</h2> <span>${c?t("room_admits",{rate:b(a)}):t("room_none")}
      ${n&&i` <b id="room-line">${t("room_waits",Gs(n,d,l))}</b>`}</span></summary>
    ${E(Ut)&&i`<div class="row">
      <label class="slider"><span>${t("room_rate")}</span>
        <input type="range" min="0" max=${_t.length-1} value=${Fs(d)}
          aria-valuetext=${t("room_rate_is",{rate:b(d)})} onInput=${f=>s(_t[f.target.value])} />
      </label>
      <label class="unit"><span class="hidden">${t("room_rate")}</span>
        <input type="number" name="rate" min="0.01" step="any" value=${d} onChange=${m} />
        <span class="muted">${t("a_second")}</span></label></div>
    ${l&&i`<p class="muted">${t("room_same")}</p>`}
    <div class="row">
      ${l?i`<button class="quiet" disabled>${t("room_set")}</button>`:i`<${y} route=${Ut}
            label=${t(c?"room_set":"room_open")} id="room-set" run=${h(d)} then=${$}
            done=${p} undo=${c&&u} />`}
      ${c&&i`<${y} route=${Ut}
          label=${t("room_end")} title=${t("room_end")} help=${t("room_end_help")} kind="danger"
        id="room-end" run=${h(-1)} then=${$} done=${p} undo=${u} />`}</div>`}</details>`}var Bs=e=>ne(e)==="running"&&!e.paused_at;function zs({id:e,query:n}){let o=new URLSearchParams(n).get("do"),r=`/activities/${encodeURIComponent(e)}`,[s,a]=vo(),c=K(5e3,()=>g("GET",r)),d=N(()=>B("/skus",{activity_id:e})),l=K(6e4,()=>g("GET",`${r}/history`)),u=K(1e4,async()=>c.value&&Uo(c.value)),p=!!c.value;q(()=>{p&&u.reload()},[p]);let h=C([]),$=At(1e3,async()=>{let O=await g("GET",`${r}/stats`);return Gt(O.server_time),h.current=Co(h.current,O),O}),m=At(2e3,()=>g("GET",`${r}/audit`));Ht();let f=c.error??$.error??m.error;if(!c.value)return f?i`<${T} error=${f} retry=${c.reload} />`:i`<${D} />`;let _=()=>{c.reload(),m.reload(),$.reload()},v=Lo(l.value?.items??[],h.current),x=`#/money/orders?${new URLSearchParams({activity_id:e})}`;return i`<div class="row heading"><h1>${c.value.title}</h1><${tt} sale=${c.value} />
      <span class="muted" role="timer">${gn(c.value)}</span>
      <span class="row actions"><${On} sale=${c.value} then=${_} opens=${o==="pause"} />
        <${xn} sale=${c.value} then=${_} /><${wn} sale=${c.value} then=${_} />
        <${Ro}>${E("GET /orders")&&i`<a id="orders" href=${x}>${t("orders")}</a>`}
          ${E("GET /changes")&&i`<a href="#/changes?${new URLSearchParams({on:`activity:${e}`})}">${t("menu_changes")}</a>`}
          ${E("PUT /activities/{activity_id}")&&i`<a href="#/edit/${e}">${t("edit")}</a>`}
          <${it} sale=${c.value} kind="link" /><${at} sale=${c.value} then=${_} /><//></span></div>
    <div class="row toolbar"><${xo} on=${s} change=${a} /></div>
    ${c.value.paused_at&&i`<p class="notice warn" id="paused" role="status">
      ${t("sale_paused",{time:L(c.value.paused_at)})}</p>`}
    <${T} error=${f} retry=${_} />
    <${Oo} title=${c.value.title} reasons=${wo($,m)} on=${s} />
    ${$.value?.partial&&i`<p class="notice">${t("partial")}</p>`}
    ${$.value&&i`<${Mo} sale=${c.value} skus=${d.value} stats=${$.value} audit=${m.value}
        coming=${u.value} points=${v} />`}
    <${Fo} sale=${c.value} line=${$.value?.waiting_room} then=${_} />
    <${jo} points=${v} />
    ${m.value&&i`<${ho} audit=${m.value} sale=${c.value} again=${_} />`}
    ${$.value&&i`<${To} stats=${$.value} />`}
    ${Ie.dev_tokens&&Bs(c.value)&&i`<${_o} activity=${e} />`}`}var Hs=["expired","refused","failed","unavailable"];function Js(){let e=new URLSearchParams(location.search).get("login");return i`${Hs.includes(e)&&i`<p class="problem" role="alert">${t(`login_${e}`)}</p>`}
    <p><a class="button go" id="issuer-login" href=${zt()}>${t("sign_in_at",{host:Ie.sign_in})}</a></p>
    <p class="muted">${t("or_key")}</p>`}function Ks({id:e,query:n}){let o=`/orders/${encodeURIComponent(e)}`,{value:r,error:s,reload:a}=K(5e3,async()=>{let[l,u]=await Promise.all([g("GET",o),E("GET /refunds")?g("GET",`/refunds?order_number=${encodeURIComponent(e)}&page_size=50`):{items:[]}]),p=Ys(l,u.items),h=!p||p.channel==="outside",$=l.items.map(m=>({...m,left:m.quantity-Ws(m,u.items)}));return{order:{...l,items:$,byPayment:!!p,outside:h},refunds:u.items}});if(!r)return s?i`<${T} error=${s} retry=${a} />`:i`<${D} />`;let{order:c,refunds:d}=r;return i`<div class="row heading">
      <h1>${t("order_title",{number:c.order_number})}</h1><${R} state=${c.status} />
      <${ii} order=${c} reload=${a} opens=${n==="do=refund"} />
      <${Zs} order=${c} path=${o} reload=${a} />
      <${Qs} order=${c} path=${o} reload=${a} /></div>
    <div class="columns"><${Xs} order=${c} reload=${a} /><${ei} order=${c} /></div>
    <h2>${t("payments")}</h2>
    <${F} name=${t("payments")} rows=${c.payments??[]} columns=${ni()}
      empty=${t("order_payments_none")} keyOf=${l=>l.pay_number} />
    ${E("GET /refunds")&&i`<h2>${t("refunds")}</h2>
    <${F} name=${t("refunds")} rows=${d} columns=${cn(a)} empty=${t("order_refunds_none")}
      keyOf=${l=>l.refund_number} />`}
    <h2>${t("log")}</h2>
    <${F} name=${t("log")} rows=${c.log} columns=${ri()} empty=""
      keyOf=${l=>`${l.at}${l.what}`} />
    <${si} path=${o} notes=${c.notes??[]} reload=${a} />`}function Ws(e,n){let o=n.filter(({reason:r})=>r==="operator").flatMap(r=>r.items??[]);return me(o.filter(({sku_id:r})=>r===e.sku_id),"quantity")}function Vs({status:e,events:n}){return e==="unpaid"?["cancel","mark_paid"]:e==="refunded"&&!n.some(({what:o})=>o==="restocked")?["restock"]:[]}function Qs({order:e,path:n,reload:o}){let r={name:"reason",label:t("why"),required:!0,maxlength:200};return Vs(e).map(s=>i`<${y} key=${s} route=${`POST /orders/{order_number}/${s}`} label=${t(`order_${s}`)}
      title=${t(`order_${s}`)} help=${t(`order_${s}_help`)} fields=${[r]}
      kind=${s==="cancel"?"danger":"quiet"}
      run=${(a,c)=>g("POST",`${n}/${s}`,{key:c,body:a})} then=${o} />`)}function Ys(e,n){let o=r=>n.some(s=>s.pay_number===r.pay_number&&!["operator","refunded_outside"].includes(s.reason));return(e.payments??[]).find(r=>["paid","refunding","refunded"].includes(r.status)&&!o(r))}function Zs({order:e,path:n,reload:o}){if(e.status!=="paid"||!e.outside)return null;let r="order_mark_refunded",s=[{...Ho(e),required:!0},{name:"reference",label:t("refund_reference"),required:!0,maxlength:200},{name:"reason",label:t("why"),required:!0,maxlength:200}],a=({amount:c,reference:d,reason:l},u)=>{let p=H(c,e.currency),h={reference:d,reason:l,...p!==void 0&&{amount:p}};return g("POST",`${n}/mark_refunded`,{key:u,body:h})};return i`<${y} route="POST /orders/{order_number}/mark_refunded" label=${t(r)} title=${t(r)}
    fields=${s} run=${a} then=${o} preview=${c=>Jo(e,c)} />`}function Xs({order:e,reload:n}){let o=r=>j(r,e.currency);return i`<section class="card"><h2>${t("what")}</h2>
    <ul class="items">${e.items.map(r=>i`<li>
      <span>${r.title} × ${r.quantity}</span>
      <span class="row">${o(r.price*r.quantity)}
        <${ai} order=${e} item=${r} reload=${n} /></span>
      ${r.voucher_codes?.map(s=>i`<p class="voucher">
        <a href="#/voucher/${s}"><code>${s}</code></a></p>`)}
      ${r.vouchers_waiting>0&&i`<p class="voucher">${t("vouchers_waiting",{count:b(r.vouchers_waiting)})}</p>`}</li>`)}</ul>
    <dl class="amounts">
      <div><dt>${t("freight")}</dt><dd>${o(e.freight_amount)}</dd></div>
      <div><dt>${t("amount")}</dt><dd>${o(e.total_amount)}</dd></div>
      ${e.refunded_amount>0&&i`
        <div><dt>${t("refunded")}</dt><dd>−${o(e.refunded_amount)}</dd></div>
        <div><dt>${t("amount_left")}</dt><dd>${o(le(e))}</dd></div>`}</dl></section>`}function ei({order:e}){let n=(o,r)=>i`<a href="#/money/orders?${new URLSearchParams({[o]:r})}">${r}</a>`;return i`<section class="card"><h2>${t("facts")}</h2><dl class="facts">
    ${M("buyer",i`<a href="#/user/${encodeURIComponent(e.user_id)}">${e.user_id}</a>`)}
    ${M("sale",e.activity_id&&i`<${ti} id=${e.activity_id} />`)}
    ${M("placed",L(e.placed_at))}
    ${M("pay_before",e.status==="unpaid"&&L(e.pay_before))}
    ${M("paid_at",e.paid_at&&L(e.paid_at))}
    ${M("reason",e.cancel_reason&&W("cancel",e.cancel_reason))}
    ${M("delivery",t(`delivery_${e.delivery}`))}
    ${M("address",e.address&&Jt(e.address))}
    ${M("phone",e.address?.phone)}
    ${M("pickup_point",e.pickup_point_id)}
    ${M("shop",e.shop_id)}
    ${M("point",e.point_id)}
    ${M("client_reference",e.client_reference)}
    ${M("notify_token",e.notify_token)}
    ${an.map(o=>M(o,e[o]&&n(o,e[o])))}
    ${M("remark",e.remark)}
    ${Object.entries(e.fields??{}).map(([o,r])=>Go(o,r))}</dl></section>`}function ti({id:e}){let{value:n}=N(async()=>E("GET /activities/{activity_id}")&&g("GET",`/activities/${e}`));return i`<a href="#/live/${e}">${n&&n.title||e}</a>`}var M=(e,n)=>n&&Go(t(e),n),Go=(e,n)=>i`<div><dt>${e}</dt><dd>${n}</dd></div>`,ni=()=>[[t("payment"),e=>i`<a href="#/payment/${e.pay_number}">${e.pay_number}</a>`,"lead"],[U(t("made")),e=>i`<${A} at=${e.created_at} />`],[t("channel"),e=>e.channel],[t("amount"),e=>j(e.amount,e.currency),"number"],[t("state"),e=>i`<${R} state=${e.status} />`,"end"]],oi=(e="")=>{let[n,o]=e.split(/:(.*)/);return o===void 0?W("who",e):`${W("who",n)} ${o}`},ri=()=>[[U(t("at")),e=>i`<${A} at=${e.at} />`,"end"],[t("what"),e=>W("log",e.what),"lead"],[t("by"),e=>oi(e.who)],[t("from_address"),e=>e.from??""]];function si({path:e,notes:n,reload:o}){return i`<div class="row heading"><h2>${t("notes")}</h2>
      <${y} route="POST /orders/{order_number}/notes"
        label=${t("write_note")} title=${t("write_note")} help=${t("notes_help")}
        fields=${[{name:"text",label:t("note"),type:"textarea",required:!0,maxlength:1e3}]}
        run=${(r,s)=>g("POST",`${e}/notes`,{key:s,body:r})} then=${o} /></div>
    ${n.length===0&&i`<p class="empty">${t("notes_none")}</p>`}
    <ul class="list">${n.map(r=>i`<li class="card"><b>${r.actor}</b>
      <span class="muted"> ${L(r.at)}</span><p>${r.text}</p></li>`)}</ul>`}function Bo(e){return e.voucher_codes?.length>0?e.voucher_codes.map(n=>({name:`voucher_${n}`,label:`${e.title}: ${t("refund_voucher",{code:n})}`,type:"checkbox"})):[{name:`units_${e.sku_id}`,label:t("refund_units",{title:e.title,quantity:e.left}),type:"number",step:1,min:0,max:e.left,initial:0,steps:!0}]}function ht(e,n){let o=(e.voucher_codes??[]).filter(r=>n[`voucher_${r}`]);return{sku_id:e.sku_id,quantity:o.length||Number(n[`units_${e.sku_id}`]??0),...o.length>0&&{voucher_codes:o}}}var le=e=>e.total_amount-(e.refunded_amount??0);function zo(e,{reason:n,force:o},r,s,a){return g("POST",`/orders/${e.order_number}/refund`,{key:a,body:{reason:n,force:o==="true",...r.length>0&&{items:r},...s!==void 0&&{amount:s}}})}var Ho=e=>({name:"amount",label:t("amount"),type:"number",min:0,max:Z(le(e),e.currency),help:t("refund_help",{amount:j(le(e),e.currency)}),presets:[[t("refund_all"),()=>Z(le(e),e.currency)]]});function Jo(e,n){let o=e.items.reduce((r,s)=>r+s.price*ht(s,n).quantity,0);try{let r=Math.min(H(n.amount,e.currency)??o,le(e));return t(r>0?"refund_preview":"refund_none_yet",{amount:j(r,e.currency)})}catch(r){return r.message}}function ii({order:e,reload:n,opens:o}){if(e.status!=="paid"||!e.byPayment)return null;let r=[...e.items.flatMap(Bo),Ho(e),{name:"reason",label:t("reason"),maxlength:200},{name:"force",label:t("refund_force"),type:"checkbox"}],s=(a,c)=>{let d=e.items.map(p=>ht(p,a)).filter(p=>p.quantity>0),l=H(a.amount,e.currency);if(d.length===0&&l===void 0)throw new Error(t("refund_nothing"));let u=d.length===0&&l===le(e);return zo(e,a,d,u?void 0:l,c)};return i`<${y} route="POST /orders/{order_number}/refund"
    label=${t("refund_order")} title=${t("refund_order")} id="refund" kind="danger" opens=${o}
    fields=${r} run=${s} then=${n} preview=${a=>Jo(e,a)} />`}function ai({order:e,item:n,reload:o}){let r=e.items.length+n.quantity===2;if(e.status!=="paid"||r||n.left<1||!e.byPayment)return null;let[s,...a]=Bo(n),d=[n.voucher_codes?.length>0?s:{...s,min:1,initial:1,required:!0},...a,{name:"reason",label:t("reason"),maxlength:200}],l=(p,h)=>{let $=ht(n,p);if($.quantity===0)throw new Error(t("refund_nothing"));return zo(e,p,[$],void 0,h)},u=p=>t("refund_preview",{amount:j(Math.min(n.price*ht(n,p).quantity,le(e)),e.currency)});return i`<${y} route="POST /orders/{order_number}/refund"
    label=${t("refund_line")} title=${t("refund_line_title",{title:n.title})}
    id="refund-${n.sku_id}" fields=${d} run=${l} then=${o} preview=${u} />`}var Mt=e=>`/points/${encodeURIComponent(e)}`,ci=e=>e.split(/[,，、;；\n]/).map(n=>n.trim()).filter(Boolean),di=(e,n)=>n?Z(e,n):e,Ko=(e,n)=>[...e?[]:[{name:"point_id",label:t("point_id"),required:!0,...te}],{name:"name",label:t("name"),required:!0,maxlength:200,initial:e?.name},{name:"regions",label:t("regions"),help:t("regions_help"),type:"textarea",initial:e?.regions.join(", ")},{name:"freight_extra",label:t("freight_extra"),help:n??t("minor_units"),type:"number",min:0,initial:di(e?.freight_extra??0,n)},{name:"pickup",label:t("pickup"),type:"checkbox",initial:e?.pickup},{name:"address",label:t("point_address"),help:t("point_address_help"),type:"textarea",maxlength:200,initial:e?.address},{name:"hours",label:t("point_hours"),maxlength:200,help:t("point_hours_help"),initial:e?.hours}],Wo=(e,n)=>(o,r,s)=>Ke(e,Mt(e?.point_id??o.point_id),{body:{name:o.name,regions:ci(o.regions),pickup:o.pickup==="true",address:o.address,hours:o.hours,freight_extra:(n?H(o.freight_extra,n):Number(o.freight_extra))??0}},s);function li(e){let n=new Set(e.map(o=>o.currency));return n.size===1?[...n][0]:void 0}function ui({claims:e}){return i`<${T} error=${e.error} retry=${e.reload} />
    ${(e.value?.items??[]).map(({region:n,point_ids:o})=>i`<p class="notice" key=${n}>
      ${t("region_shared",{region:n,points:o.join(", "),wins:o[0]})}</p>`)}
    ${e.value?.next_cursor&&i`<p class="notice">…</p>`}`}function pi({query:e}){let{value:n,error:o,reload:r}=N(()=>B("/skus"));if(!n)return o?i`<${T} error=${o} retry=${r} />`:i`<${D} />`;let s=new URLSearchParams(e).get("point_id"),a=li(n);return s?i`<${$i} id=${s} currency=${a} />`:i`<${mi} currency=${a} />`}var $i=({id:e,currency:n})=>i`<${Vo} points=${Qe(Mt(e))} currency=${n}>
  <p><a href="#/points">${t("all_points")}</a></p><//>`,mi=({currency:e})=>i`<${Vo} points=${G("/points")} currency=${e} />`;function Vo({points:e,currency:n,children:o}){let r=N(()=>g("GET","/regions?shared=true&page_size=20")),s={...e,reload:()=>{e.reload(),r.reload()}},a=[[t("point"),c=>i`<b>${c.name}</b><p class="muted"><code>${c.point_id}</code></p>`,"lead wide"],[t("regions"),c=>c.regions.length?c.regions.join(", "):t("regions_rest"),"wide"],[t("freight_extra"),c=>n?j(c.freight_extra,n):c.freight_extra,"number named"],[t("pickup"),c=>i`${c.pickup?t("yes"):t("no")}
        ${[c.address,c.hours].filter(Boolean).map(d=>i`<p class="muted">${d}</p>`)}`,"wide named"],["",c=>i`<div class="row actions">
      <${y} route="PUT /points/{point_id}"
        label=${t("edit")} title=${t("edit")} fields=${Ko(c,n)} run=${Wo(c,n)}
        then=${s.reload} />
      ${c.point_id!=="0"&&i`<${y} route="DELETE /points/{point_id}" label=${t("delete")} kind="danger"
        title=${t("delete_title",{name:c.name})} help=${t("delete_point_help")} then=${s.reload}
        run=${(d,l,u=c.version)=>g("DELETE",Mt(c.point_id),{version:u})} />`}</div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_points")}</h1>
      <${y} route="PUT /points/{point_id}"
        label=${t("new_point")} title=${t("new_point")} kind="go" fields=${Ko(void 0,n)}
        run=${Wo(void 0,n)} then=${s.reload} /></div>
    ${o}<p class="muted">${t("points_help")}</p><${ui} claims=${r} />
    <${z} list=${s} name=${t("menu_points")} columns=${a} empty=${t("points_none")}
      keyOf=${c=>c.point_id} />`}function fi(){let{value:e,error:n,reload:o}=K(2e3,()=>g("GET","/queue"));if(!e)return n?i`<${T} error=${n} retry=${o} />`:i`<${D} />`;let r=[[t("lane"),a=>t("lane_number",{n:a.lane}),"lead"],[t("queued"),a=>b(a.length),"number named"],[t("oldest"),a=>a.length?We(a.oldest_ms):"–","number named"],[t("dead"),a=>i`<span class=${a.dead?"bad":""}>${b(a.dead)}</span>`,"number named"],[t("oldest_dead"),a=>a.dead?We(a.oldest_dead_ms):"–","number named"],[t("note"),a=>a.newer_records?t("newer_records"):"","wide"]],s=e.items.filter(a=>a.length||a.dead||a.newer_records);return i`<h1>${t("menu_queue")}</h1><p class="muted">${t("queue_help")}</p>
    <${F} name=${t("menu_queue")} columns=${r} rows=${s} keyOf=${a=>a.lane}
      empty=${t("queue_none",{lanes:e.items.length})} />
    ${E("GET /queue/dead")&&i`<${_i} reload=${o} />`}`}function _i({reload:e}){let[n,o]=k({reason:""}),r=G("/queue/dead",n),s=()=>{r.reload(),e()},a=[...new Set(r.items.map(c=>c.reason))];return i`<h2>${t("dead_title")}</h2>
    <div class="row">
      <${ee} fields=${[{name:"reason",label:t("reason"),maxlength:64}]} values=${n}
        change=${o} />
      ${a.map(c=>i`<${hi} key=${c} reason=${c} then=${s} />`)}</div>
    <${z} list=${r} name=${t("dead_title")} columns=${gi(s)} empty=${t("dead_none")}
      keyOf=${c=>c.dead_id} />`}function hi({reason:e,then:n}){let o=t("replay_reason",{reason:W("dead",e)});return i`<${y} route="POST /queue/dead:replay" label=${o} title=${o} help=${t("replay_help")}
    run=${(r,s)=>g("POST","/queue/dead:replay",{key:s,body:{reason:e}})} then=${n} />`}function gi(e){return[[t("order"),n=>n.order_number??n.dead_id,"lead"],[t("buyer"),n=>n.user_id??"–","cut"],[t("reason"),n=>i`<b>${W("dead",n.reason)}</b><p class="muted">${n.detail}</p>`,"wide"],[t("age"),n=>n.at?We(Qt(n.at)):"–","number end"],["",n=>i`<div class="row actions">
      <${y} route="POST /queue/dead/{dead_id}/replay" label=${t("replay")} id="replay-${n.dead_id}"
        run=${(o,r)=>g("POST",`/queue/dead/${n.dead_id}/replay`,{key:r})} then=${e} />
      <${y} route="POST /queue/dead/{dead_id}/discard" label=${t("discard")} title=${t("discard_title")}
        help=${t("discard_help")} kind="danger"
        run=${(o,r)=>g("POST",`/queue/dead/${n.dead_id}/discard`,{key:r})} then=${e} /></div>`,"tools"]]}var Rt="PATCH /settings",bi=["limits","limit_user","limit_address","limit_network","limit_strangers","limit_instance","limit_routes"],yi=["limit_routes","image_hosts"],ki=["full","no_streams","no_lists","only_placing"],Qo={degrade:()=>ki.map(e=>[e,t(`degrade_${e}`)]),limits:()=>["on","dry_run","off"].map(e=>[e,t(`limits_${e}`)]),log:()=>["debug","info","warn","error"].map(e=>[e,e])};function Yo(e,n){return e==="degrade"||e==="limits"?t(`${e}_${n}`):Array.isArray(n)?n.join(", ")||"none":n}function vi(e,n=""){return yi.includes(e)&&n?n.split(/\s*,\s*/):n.trim()||null}function wi({query:e}){let{value:n,error:o}=fn(),r=Ot;if(q(()=>{Ot()},[]),!n)return o?i`<${T} error=${o} retry=${r} />`:i`<${D} />`;let{set:s,in_force:a}=n,c=l=>i`<${y} route=${Rt} label=${t("change_setting")} id="set-${l}"
    title=${t(`setting_${l}`)} help=${t(`setting_${l}_help`)} then=${r}
    done=${t("done_setting",{setting:t(`setting_${l}`)})} undo=${et({[l]:s[l]??null})}
    fields=${[Qo[l]?{name:"value",of:l,label:t("value"),options:Qo[l](),initial:a[l]}:{name:"value",of:l,label:t("value"),help:t("setting_empty"),initial:Yo(l,s[l]??"")}]}
    run=${({value:u},p,h)=>Xe({[l]:vi(l,u)})({},p,h)} />`,d=[[t("setting"),l=>i`<b>${t(`setting_${l}`)}</b>
      <p class="muted">${t(`setting_${l}_help`)}</p>`,"lead wide"],[t("value"),l=>i`${Yo(l,a[l])}
      <p class="muted">${t(s[l]===void 0?"setting_environment":"setting_operators")}</p>`],["",l=>i`<div class="row actions">${c(l)}
      ${s[l]!==void 0&&i`<${y} route=${Rt} label=${t("unset")} id="unset-${l}" run=${Xe({[l]:null})}
          then=${r} done=${t("done_setting",{setting:t(`setting_${l}`)})}
          undo=${et({[l]:s[l]})} />`}</div>`,"tools"]];return i`<h1>${t("menu_settings")}</h1><p class="muted">${t("settings_help")}</p>
    <section class="card" id="all-sales"><h2>${t("all_sales")}</h2>
      <p><${R} state=${a.sales_stopped?"stopped":"ok"} />
        ${t(a.sales_stopped?"sales_are_stopped":"sales_go_on")}</p>
      <div class="row">${a.sales_stopped?i`<${_n} id="go-on" kind="go" />`:i`<${y} route=${Rt} label=${t("stop_sales")} kind="danger" id="stop-sales"
            opens=${e==="do=stop"}
            title=${t("stop_sales_title")} help=${t("stop_sales_help")} run=${Xe({sales_stopped:!0})}
            then=${r} done=${t("done_stopped")} undo=${et({sales_stopped:null})} />`}</div></section>
    ${n.pending&&i`<p class="note">${t("settings_pending")}</p>`}
    ${a.limits!=="on"&&i`<p class="note">${t(`limits_are_${a.limits}`)}</p>`}
    <${T} error=${o} />
    <${F} name=${t("menu_settings")} columns=${d} rows=${["degrade",...bi,"image_hosts","log"]}
      keyOf=${l=>l} />`}function xi({id:e}){let n=`/users/${encodeURIComponent(e)}`,{value:o,error:r,reload:s}=N(()=>g("GET",`${n}/trail`),[e]),a=new URLSearchParams({user_id:e});return i`<div class="row heading"><h1>${t("user_title",{user:e})}</h1>
      <a class="button quiet" href="#/money/orders?${a}">${t("orders_all")}</a>
      <${y} route="GET /users/{user_id}/export" label=${t("user_export")} done=${null}
        run=${()=>sn(`${n}/export`,"user.json")} />
      <${Pi} path=${n} user=${e} then=${s} /></div>
    <${T} error=${r} retry=${s} />
    ${o?i`<${Oi} trail=${o} />`:!r&&i`<${D} />`}`}function Oi({trail:e}){return i`${e.partial&&i`<p class="notice">${t("trail_partial")}</p>`}
    <h2>${t("trail_refusals")}</h2>
    <p class="muted">${t("trail_help")}</p>
    <${F} name=${t("trail_refusals")} rows=${e.refusals} columns=${Si()}
      empty=${t("trail_refusals_none")}
      keyOf=${n=>`${n.instance}${n.first_request_id}${n.first_at}`} />
    <h2>${t("trail_orders")}</h2>
    <${F} name=${t("trail_orders")} rows=${e.orders} columns=${Ti()} empty=${t("trail_orders_none")}
      keyOf=${n=>n.order_number} />`}var Si=()=>[[U(t("trail_last")),e=>i`<${A} at=${e.last_at} />`,"lead"],[t("trail_answer"),e=>e.detail||e.code,"wide"],[t("code"),e=>i`<code>${e.code}</code>`],[t("trail_request"),e=>i`<code>${e.method} ${e.path}</code>`,"cut"],[t("trail_count"),e=>b(e.count),"number named"],[t("trail_request_id"),e=>i`<code>${e.last_request_id}</code>`,"cut named"],[t("trail_key"),e=>e.idempotency_key&&i`<code>${e.idempotency_key}</code>`,"cut named"]],Ti=()=>[[t("order"),e=>i`<a href="#/order/${e.order_number}">${e.order_number}</a>`,"lead"],[U(t("placed")),e=>i`<${A} at=${e.placed_at} />`],[t("what"),e=>e.items.map(n=>`${n.title} × ${n.quantity}`).join(", "),"cut"],[t("amount"),e=>j(e.total_amount,e.currency),"number"],[t("state"),e=>i`<${R} state=${e.status} />`,"end"]];function Pi({path:e,user:n,then:o}){let r=[{name:"confirm",label:t("type_to_confirm",{what:n}),required:!0,maxlength:64}];return i`<${y} route="POST /users/{user_id}/erase" label=${t("user_erase")} kind="danger"
    title=${t("user_erase_title",{user:n})} help=${t("user_erase_help")} fields=${r}
    run=${(s,a)=>g("POST",`${e}/erase`,{key:a,body:s})} then=${o} />`}function qi({id:e}){let n=`/vouchers/${encodeURIComponent(e)}`,{value:o,error:r,reload:s}=N(()=>g("GET",n));return o?i`<div class="row heading"><h1>${t("voucher_title",{code:e})}</h1><${R} state=${o.status} />
      ${o.status==="active"&&i`<${y} route="POST /vouchers/{code}/redeem" label=${t("redeem")} kind="go" title=${t("redeem")}
        fields=${[{name:"where",label:t("where"),required:!0,maxlength:100}]}
        run=${(a,c)=>g("POST",`${n}/redeem`,{key:c,body:a})} then=${s} />`}</div>
    <section class="card"><dl class="facts">
      <div><dt>${t("what")}</dt><dd>${o.title}</dd></div>
      <div><dt>${t("order")}</dt><dd><a href="#/order/${o.order_number}">${o.order_number}</a></dd></div>
      <div><dt>${t("buyer")}</dt><dd>${o.user_id}</dd></div>
      ${o.redeemed_at&&i`<div><dt>${t("redeemed")}</dt>
        <dd>${L(o.redeemed_at)}, ${o.redeemed_where}, ${o.redeemed_by}</dd></div>`}</dl></section>`:r?i`<${T} error=${r} retry=${s} />`:i`<${D} />`}var Ei=6,Ci=150,Li={order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?refund_number=${encodeURIComponent(e)}`,user:e=>`#/user/${encodeURIComponent(e)}`,refusal:(e,n)=>`#/user/${encodeURIComponent(n)}`,voucher:e=>`#/voucher/${encodeURIComponent(e)}`},De=(e,n,o=n)=>({kind:"action",id:o,title:e,href:n});function ji(e){let n=e.filter(o=>["running","upcoming"].includes(ne(o))&&!o.paused_at);return[E("PATCH /settings")&&De(t("stop_sales"),"#/settings?do=stop"),E("GET /orders")&&De(t("refund_an_order"),"#/money/orders?status=paid"),E("PUT /activities/{activity_id}")&&De(t("new_sale"),"#/edit"),...(E("POST /activities/{activity_id}/pause")?n:[]).map(o=>De(`${t("pause_sale")}: ${o.title}`,`#/live/${o.activity_id}?do=pause`))].filter(Boolean)}var Di=e=>e.filter(({kind:n})=>n==="order"&&E("POST /orders/{order_number}/refund")).map(({id:n})=>De(`${t("refund_order")}: ${n}`,`#/order/${n}?do=refund`));async function Ai(){let[e,n,o]=await Promise.all([B("/activities"),B("/skus"),B("/points")]),r=(s,a,c,d,l)=>({kind:s,id:a,title:c,href:d,state:l});return[...e.map(s=>r("sale",s.activity_id,s.title,bn(s),hn(s))),...n.map(s=>r("sku",s.sku_id,s.title,`#/goods?${new URLSearchParams({sku_id:s.sku_id})}`)),...o.map(s=>r("point",s.point_id,s.name,`#/points?${new URLSearchParams({point_id:s.point_id})}`)),...ji(e)]}function Ii(e,n){let o=n.toLowerCase().split(/\s+/).filter(Boolean);if(o.length===0)return[];let r={};return e.filter(({kind:s,id:a,title:c})=>{let d=(s==="action"?c:`${c} ${a}`).toLowerCase();return o.every(l=>d.includes(l))?(r[s]=(r[s]??0)+1,r[s]<=Ei):!1})}function Ni(e){let[n,o]=k({of:"",hits:[]});return q(()=>{if(!e)return;let r=!0,s=setTimeout(async()=>{try{let{items:a}=await g("GET",`/search?q=${encodeURIComponent(e)}`),c=a.map(({kind:d,id:l,user_id:u})=>({kind:d,id:l,title:u??l,href:Li[d](l,u)}));r&&o({of:e,hits:[...c,...Di(a)]})}catch(a){r&&o({of:e,hits:[],error:a})}},Ci);return()=>{r=!1,clearTimeout(s)}},[e]),n.of===e?n:{hits:[],waits:!!e}}var gt=e=>`${e.kind} ${e.id}`;function Ui(e){let[,n]=k(""),o=C(""),r=Math.max(0,e.findIndex(a=>gt(a)===o.current));return o.current=e[r]?gt(e[r]):"",{at:r,mark:a=>{o.current=a?gt(a):"",n(o.current)}}}function Mi({close:e}){let[n,o]=k(""),[r,s]=k(!1),a=N(Ai),c=Ni(n.trim()),d=[...c.hits,...Ii(a.value??[],n)],{at:l,mark:u}=Ui(d),p=c.waits||!!n.trim()&&!a.value&&!a.error,h=f=>{e(),Re(f.href)};q(()=>{!r||p||(s(!1),d.length>0&&h(d[0]))},[r,p]);let $=f=>{let _={ArrowDown:1,ArrowUp:-1}[f.key];_&&d.length>0?(f.preventDefault(),u(d[(l+_+d.length)%d.length])):f.key==="Enter"&&(f.preventDefault(),d[l]?h(d[l]):s(p))},m=f=>{o(f.target.value),u(),s(!1)};return i`<${J} title=${t("search_short")} close=${e}><div class="finder">
    <input id="search" type="text" enterkeyhint="go" maxlength="128" autocomplete="off" autofocus role="combobox"
      aria-expanded="true" aria-controls="hits" aria-autocomplete="list" aria-label=${t("search")}
      aria-activedescendant=${d[l]&&`hit-${l}`} value=${n} onInput=${m} onKeyDown=${$} />
    <${T} error=${c.error??a.error} />
    <ul id="hits" role="listbox" aria-label=${t("search_hits")}>${d.map((f,_)=>i`<li id="hit-${_}" key=${gt(f)} role="option" aria-selected=${_===l}
        onClick=${()=>h(f)} onMouseMove=${()=>u(f)}>
        <span class="muted kind">${t(`hit_${f.kind}`)}</span><b>${f.title}</b>
        ${f.title!==f.id&&f.kind!=="action"&&i`<code class="muted">${f.id}</code>`}
        ${f.state&&i`<${R} state=${f.state} />`}</li>`)}</ul>
    <p class="muted" role="status">${Ri(n.trim(),p,d)}</p></div>
    <button type="button" class="quiet" onClick=${e}>${t("close")}</button><//>`}function Ri(e,n,o){return e?n?`${t("loading")} …`:o.length===0?t("search_none"):"":t("search_help")}export{rr as Blocked,dr as Changes,ur as Deliveries,Hr as Edit,tr as Endpoints,ms as Goods,gs as Home,nr as Jobs,vs as Keys,zs as Live,Js as Login,Xo as Money,bs as NotAllowed,Ks as Order,er as Payment,pi as Points,fi as Queue,or as Sales,Mi as SearchDialog,wi as Settings,xi as User,qi as Voucher};

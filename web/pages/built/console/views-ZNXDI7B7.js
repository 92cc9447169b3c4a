import{$ as ze,Aa as J,Ba as Z,Da as en,E as g,F as M,Fa as me,G as W,Ga as fe,H as Bt,Ha as He,I as yt,Ia as _e,Ja as tn,K as Ue,Ka as Oe,L as Re,La as te,M as D,Ma as nn,N as T,Na as rn,O as Fe,Oa as Hr,P as zt,Pa as on,Qa as sn,R as Ge,Ra as an,T as Jt,Ta as Vr,U as bt,Ua as Ve,V as K,Va as cn,W as E,Wa as Qe,X as Be,Xa as dn,Za as Qr,_ as L,a as Ae,aa as N,ba as A,bb as ln,c as k,ca as kt,d as q,da as Kt,db as un,e as C,ea as xe,eb as Yr,f as be,fa as Wt,fb as wt,g as i,ga as Ht,gb as pn,h as Ut,hb as Ye,ia as Vt,ib as Ze,j as Rt,ja as R,k as Ie,ka as ie,kb as $n,la as H,m as Me,ma as Je,na as Qt,o as t,oa as Ke,ob as ne,p as ke,pa as b,pb as mn,qa as Yt,qb as Xe,r as j,ra as F,rb as fn,s as y,sa as G,sb as _n,t as ve,ta as We,tb as Zr,u as we,ua as B,va as z,w as Ne,wa as Zt,x as Ft,xa as vt,y as Gt,ya as Xt,za as ee}from"./chunk-TD2ODYWR.js";function Xr(){let[e,n]=k({kind:""}),r=G("/blocked",e),o=($,m)=>`/blocked/${encodeURIComponent(`${m}:${$}`)}`,s=[["user",t("block_user")],["address",t("block_address")]],a=[{name:"kind",label:t("kind"),options:s},{name:"subject",label:t("subject"),help:t("subject_help"),required:!0,maxlength:64},{name:"reason",label:t("reason"),required:!0,maxlength:200},{name:"until",label:t("until"),help:t("until_help"),type:"datetime-local"}],c=($,m)=>r.items.find(f=>f.kind===$&&f.subject===m)?.version,d=($,m,f,_)=>g("PUT",o(m,$),{body:f,version:_,create:!_}),l=($,m,f)=>g("DELETE",o(m,$),{version:f}),u=({kind:$,subject:m,reason:f,until:_},v,x=c($,m))=>d($,m,{reason:f,..._&&{until:new Date(_).toISOString()}},x),p=($,{kind:m,subject:f})=>!c(m,f)&&(()=>l(m,$.subject,$.version)),h=[[t("subject"),$=>i`<code>${$.subject}</code>`,"lead"],[t("kind"),$=>t(`block_${$.kind}`),"end"],[t("reason"),$=>$.reason,"wide"],[N(t("until")),$=>$.until?i`<${A} at=${$.until} />`:t("no_end"),"named"],[N(t("since")),$=>i`<${A} at=${$.updated_at} />`,"named"],["",$=>i`<${b} route="DELETE /blocked/{subject}"
        label=${t("unblock")} title=${t("unblock_title",{subject:$.subject})}
      run=${(m,f,_=$.version)=>l($.kind,$.subject,_)}
      done=${t("done_unblocked",{subject:$.subject})}
      undo=${()=>()=>d($.kind,$.subject,{reason:$.reason,...$.until&&{until:$.until}})}
      then=${r.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_blocked")}</h1>
      <${b} route="PUT /blocked/{subject}"
        label=${t("block")} kind="go" id="block" title=${t("block_title")} help=${t("block_help")}
        fields=${a} run=${u} done=${$=>t("done_blocked",{subject:$.subject})}
        undo=${p} then=${r.reload} /></div>
    <${ee} fields=${[{name:"kind",label:t("kind"),options:[["",t("all")],...s]}]}
      values=${e} change=${n} />
    <${z} list=${r} name=${t("menu_blocked")} columns=${h} empty=${t("blocked_none")}
      keyOf=${$=>`${$.kind}:${$.subject}`} />`}var eo=4,to={activity:["created","changed","published","paused","resumed","taken_offline","stock_changed","stock_change_refused","stock_change_abandoned","reloaded","repaired","deleted"],sku:["created","changed","stock_changed","deleted"],point:["created","changed","deleted"],order:["refunded","noted","held","paid_outside"],payment:["flag_cleared"],refund:["retried","reported"],voucher:["redeemed"],dead:["replayed","discarded"],blocked:["created","changed","deleted"],endpoint:["registered","changed","secret_changed","resent","deleted"],job:["run","paused","resumed"],key:["created","revoked"]},hn={activity:e=>`#/edit/${e}`,sku:e=>`#/goods?${new URLSearchParams({sku_id:e})}`,point:e=>`#/points?${new URLSearchParams({point_id:e})}`,order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?${new URLSearchParams({refund_number:e})}`,voucher:e=>`#/voucher/${e}`,dead:()=>"#/queue",blocked:()=>"#/blocked",endpoint:e=>`#/deliveries/${e}`,job:()=>"#/jobs",key:()=>"#/keys"};function no(e,n){return[e,...n.filter(s=>s.on===e.on)].flatMap(({before:s,after:a})=>[a,s]).map(s=>s?.title??s?.name).find(s=>typeof s=="string")}function ro({change:e,all:n}){let[r,...o]=e.on.split(":"),s=o.join(":"),a=r==="job"?un(s):no(e,n),c=e.action.endsWith(".deleted")||!hn[r],d=i`<b>${a??s}</b>`;return i`<span class="muted">${H("hit",r)}</span>${" "}
    ${c?d:i`<a href=${hn[r](s)}>${d}</a>`}
    ${a&&i`<p class="muted"><code>${s}</code></p>`}`}function oo({query:e}){let[n,r]=Zt("changes",e,{actor:"",on:"",action:""}),o=G("/changes",vt(n)),s=Object.entries(to).flatMap(([u,p])=>p.map(h=>`${u}.${h}`)),a=n.action&&!s.includes(n.action)?[n.action]:[],c=[["",t("all")],...[...a,...s].map(u=>[u,kt(u)])],d=[{name:"actor",label:t("operator"),maxlength:64},{name:"action",label:t("action"),options:c},{name:"on",label:t("changed_item"),placeholder:"sku:lamp",maxlength:120},{name:"from",label:t("from_day"),type:"date"},{name:"to",label:t("to_day"),type:"date"}],l=[[N(t("at")),u=>i`<${A} at=${u.at} />`,"end"],[t("operator"),u=>i`<span title=${u.client_ip}>${u.actor}</span>`],[t("action"),u=>i`<b title=${u.action}>${kt(u.action)}</b>`,"lead"],[t("changed_item"),u=>i`<${ro} change=${u} all=${o.items} />`,"wide"],[t("difference"),u=>i`<${so} fields=${Kt(u)} />`,"wide"]];return i`<h1>${t("menu_changes")}</h1><p class="muted">${t("changes_help")}</p>
    <${ee} fields=${d} values=${n} change=${r} />
    <${z} list=${o} name=${t("menu_changes")} columns=${l} empty=${Xt("changes",vt(n))}
      keyOf=${u=>u.change_id} />`}function so({fields:e}){if(e.length===0)return"–";if(e.length<=eo)return i`<${xe} fields=${e} />`;let n=t("fields_changed",{count:y(e.length)});return i`<details><summary>${n}</summary><${xe} fields=${e} /></details>`}function io({id:e}){let[n,r]=k({status:""}),o=G(`${Qe(e)}/deliveries`,n),[s,a]=k(""),[c,d]=k(),l=[[t("event"),m=>i`<b>${dn(m.type)}</b><p class="muted"><code>${m.type}</code> ${m.event_id}</p>`,"lead"],[t("state"),m=>i`<${R} state=${m.status} />
      ${m.next_attempt_at&&i`<p class="muted">${t("next_try")} ${L(m.next_attempt_at)}</p>`}`,"end"],[t("attempts"),m=>y(m.attempts),"number named"],[t("answer"),m=>i`${m.status_code??""} <span class="bad">${m.error}</span>
      <p class="muted">${m.answer}</p>`,"wide"],[t("duration"),m=>`${y(m.duration_ms)} ms`,"number"],[N(t("at")),m=>i`<${A} at=${m.at} />`],["",m=>i`<div class="row actions">
      <button type="button" class="quiet" id="show-${m.delivery_id}" onClick=${()=>a(m.delivery_id)}>
        ${t("payload")}</button>
      <${b} label=${t("send_again")} then=${o.reload}
      run=${(f,_)=>g("POST",`/deliveries/${m.delivery_id}/resend`,{key:_})} /></div>`,"tools"]],u=m=>m?new Date(m).toISOString():void 0,p=[{name:"from",label:t("from_time"),type:"datetime-local",required:!0},{name:"to",label:t("to_time"),type:"datetime-local"}],h=({from:m,to:f},_)=>g("POST",`${Qe(e)}/resend`,{key:_,body:{from:u(m),to:u(f)}}),$=["","waiting","delivered","failed"].map(m=>[m,t(m?`state_${m}`:"all")]);return i`<div class="row heading"><h1>${t("deliveries_title",{name:e})}</h1>
      <${b} label=${t("test_event_send")} id="test" run=${(m,f)=>g("POST",`${Qe(e)}/test`,{key:f})}
        then=${d} />
      <${b} label=${t("send_span")} title=${t("send_span")} help=${t("send_span_help")} fields=${p}
        run=${h} then=${o.reload} />
      <a href="#/endpoints">${t("menu_endpoints")}</a></div>
    <${ee} values=${n} change=${r}
      fields=${[{name:"status",label:t("state"),options:$}]} />
    <${z} list=${o} name=${t("deliveries")} columns=${l} empty=${t("deliveries_none")}
      keyOf=${m=>m.delivery_id} />
    ${s&&i`<${co} id=${s} close=${()=>a("")} />`}
    ${c&&i`<${lo} result=${c} close=${()=>d()} />`}`}var ao=e=>{try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}};function co({id:e,close:n}){let{value:r,error:o,reload:s}=M(()=>g("GET",`/deliveries/${e}`));return i`<${K} title=${t("payload")} close=${n}><${T} error=${o} retry=${s} />
    ${!r&&!o&&i`<${D} />`}
    ${r&&!r.event&&i`<p class="muted">${t("payload_gone")}</p>`}
    ${r?.event&&i`<pre class="file" tabindex="0">${JSON.stringify(r.event,null,2)}</pre>`}
    ${r&&i`<${gn} of=${r} />`}
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function lo({result:e,close:n}){return i`<${K} title=${t("test_event")} close=${n}>
    <p class=${ie(e.accepted)} id="tested">${t(e.accepted?"test_accepted":"test_refused")}</p>
    <pre class="file" tabindex="0">${ao(e.body)}</pre><${gn} of=${e} />
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function gn({of:{status_code:e,answer:n,error:r,duration_ms:o}}){return!e&&!r?null:i`<h3>${t("answer")}</h3><p>${e} <span class="bad">${r}</span>
      <span class="muted">${y(o)} ms</span></p>
    ${n&&i`<pre class="file" tabindex="0">${n}</pre>`}`}var uo=["add","take","set"],et=()=>[{name:"how",label:t("stock_how"),options:uo.map(e=>[e,t(`stock_${e}`)]),initial:"add"},{name:"units",label:t("units"),type:"number",step:1,min:0,required:!0,initial:0,steps:!0}],he=({how:e,units:n})=>(e==="take"?-1:1)*Number(n||0),tt=(e,n)=>n.how==="set"?Number(n.units||0):Math.max(0,e+he(n));var re=e=>`/activities/${e.activity_id}`,nt=e=>["running","upcoming"].includes(ne(e));function oe(e){if(!e)return"";let n=new Date(e);return new Date(n.getTime()-n.getTimezoneOffset()*6e4).toISOString().slice(0,19)}function rt(e,n){if(!e)return;let r=new Date(e).toISOString();return n&&r===new Date(oe(n)).toISOString()?n:r}var po=e=>L(e&&new Date(e)),yn=e=>n=>oe(new Date(new Date(n).getTime()+e*6e4).toISOString());function bn({sale:e,then:n}){if(!nt(e))return null;let r=(s,a)=>g("PATCH",re(e),{version:a,body:{ends_at:s}}),o={name:"ends_at",label:t("ends_at"),type:"datetime-local",required:!0,initial:oe(e.ends_at),presets:[[t("later_minutes",{n:15}),yn(15)],[t("later_hours",{n:1}),yn(60)]]};return i`<${b} route="PATCH /activities/{activity_id}" label=${t("extend")} title=${t("extend")} id="extend"
    fields=${[o]} preview=${({ends_at:s})=>`${L(e.ends_at)} → ${po(s)}`}
    run=${({ends_at:s},a,c=e.version)=>r(rt(s,e.ends_at),c)} then=${n}
    done=${s=>t("done_extended",{sale:e.title,time:L(s.ends_at)})}
    undo=${s=>()=>r(e.ends_at,s.version)} />`}function kn({sale:e,then:n}){let r=C(e),[o,s]=k([]);if(!nt(e))return null;let a=_=>o.find(v=>v.point_id===_)?.name??_,c=[...new Set(e.skus.flatMap(_=>_.stock.map(v=>v.point_id)))],d=[{name:"sku_id",label:t("sku"),options:e.skus.map(_=>[_.sku_id,_.sku_id]),initial:e.skus[0].sku_id},{name:"point_id",label:t("point"),options:c.map(_=>[_,a(_)]),initial:c[0]},...et()],l=({sku_id:_,point_id:v})=>r.current.skus.find(x=>x.sku_id===_)?.stock.find(x=>x.point_id===v)?.quantity??0,u=(_,v)=>t(v,{sku:_.sku_id,before:y(l(_)),after:y(tt(l(_),_)),point:a(_.point_id)}),p=(_,v,x)=>g("POST",`${re(e)}/stock`,{key:x,body:{sku_id:_.sku_id,point_id:_.point_id,delta:v}}),h=(_,v,x)=>g("PUT",`${re(e)}/stock`,{version:x,body:{sku_id:_.sku_id,point_id:_.point_id,quantity:v}}),$=(_,v,x=r.current.version)=>_.how==="set"?h(_,Number(_.units),x):p(_,he(_),v),m=({status:_,delta:v},x)=>_!=="pending"&&v!==0&&(O=>p(x,-v,O)),f=()=>{r.current=e,E("GET /points")&&B("/points").then(s,()=>{})};return i`<${b} route="POST /activities/{activity_id}/stock" label=${t("change_stock")}
    title=${t("change_stock")} help=${t("set_total_help")} id="stock" onOpen=${f} fields=${d} run=${$}
    then=${n} preview=${_=>u(_,"stock_preview")} done=${(_,v)=>u(v,"done_stock")}
    undo=${m} />`}function ot({sale:e,kind:n}){return i`<${b} route="POST /activities/{activity_id}/clone"
    label=${t("clone")} kind=${n} run=${(r,o)=>g("POST",`${re(e)}/clone`,{key:o,body:{}})}
    then=${r=>Ue(`#/edit/${r.activity_id}`)} />`}function vn({sale:e,then:n,opens:r}){if(!nt(e))return null;let o=(a,c)=>g("POST",`${re(e)}/pause`,{key:c}),s=(a,c)=>g("POST",`${re(e)}/resume`,{key:c});return e.paused_at?i`<${b} route="POST /activities/{activity_id}/resume" label=${t("resume_sale")} kind="go" id="resume"
      run=${s} done=${t("done_resumed",{sale:e.title})} undo=${()=>a=>o({},a)}
      then=${n} />`:i`<${b} route="POST /activities/{activity_id}/pause"
    label=${t("pause_sale")} title=${t("pause_sale")} help=${t("pause_sale_help")} id="pause" opens=${r}
    run=${o} done=${t("done_paused",{sale:e.title})} undo=${()=>a=>s({},a)}
    then=${n} />`}function st({sale:e,then:n}){let[r,o]=k();if(!nt(e))return null;let s=()=>{o(),g("GET",`${re(e)}/stats`).then(o,()=>o({}))};return i`<${b} route="POST /activities/{activity_id}/offline" label=${t("close_sale")}
    title=${t("close_title",{sale:e.title})} help=${$o(r)} kind="danger" onOpen=${s}
    id="close" done=${t("done_closed",{sale:e.title})}
    run=${(a,c)=>g("POST",`${re(e)}/offline`,{key:c})} then=${n} />`}function $o(e){return e?.loaded?`${t("close_sale_help")} ${t("close_sale_affects",{left:y(fe(e)),unpaid:y(e.placed+e.unpaid),waiting:y(e.waiting_room?.waiting??0)})}`:t("close_sale_help")}var On=["item","user","ip"],Sn=["title","description","image_url"],wn=e=>JSON.stringify(e,(n,r)=>typeof r=="number"?String(r):r),Se=(e,n)=>wn(e)===wn(n),it=e=>e===void 0||e<0?"":e,at=e=>e===""||e===void 0?-1:Number(e),Te=(e,n)=>n.find(r=>r.sku_id===e)?.currency??"CNY",xt=(e,n)=>e.currency??Te(e.sku_id,n);function Tn(e,n){let r=n.find(o=>o.sku_id===e);return Z(r?.price,Te(e,n))}var ae=(e,n)=>(n.find(r=>r.sku_id===e)?.kind??"physical")==="physical";function Pe(e,n,r){if(r==="")return{...e,stock:e.stock.filter(a=>a.point_id!==n)};let o=e.stock.some(a=>a.point_id===n),s={point_id:n,quantity:r};return{...e,stock:o?e.stock.map(a=>a.point_id===n?s:a):[...e.stock,s]}}function ct(e,n){let r=new Set([...e.skus.flatMap(s=>s.stock.map(a=>a.point_id)),...e.points??[]]);r.size===0&&r.add("0");let o=n.map(s=>s.point_id).filter(s=>r.has(s));return[...o,...[...r].filter(s=>!o.includes(s))]}function Ot(e,n){let o=Math.ceil(Date.now()/36e5)*36e5,[s]=e;return{title:"",description:"",image_url:"",shop_id:s?.shop_id??Be()??"",starts_at:oe(o),ends_at:oe(o+36e5),pay_within:15,purchase_limit:"",permit_ratio:"",human_check:"none",paths_per_second:"",segments:"",limit_item:"",limit_user:"",limit_ip:"",points:[],skus:s?[qe(s,n)]:[]}}function qe(e,n){let r=n.find(s=>s.point_id==="0")??n[0],o=e.kind==="physical"?r:void 0;return{sku_id:e.sku_id,flash_price:Z(e.price,e.currency),currency:e.currency,purchase_limit:"",stock:[{point_id:o?.point_id??"0",quantity:100}]}}function se(e,n){let r={...Object.fromEntries(Sn.map(o=>[o,e[o]??""])),shop_id:e.shop_id,starts_at:oe(e.starts_at),ends_at:oe(e.ends_at),pay_within:e.pay_within_s/60,purchase_limit:it(e.purchase_limit),permit_ratio:it(e.permit_ratio),human_check:e.human_check,paths_per_second:it(e.waiting_room?.paths_per_second),segments:(e.segments??[]).join(" "),points:[],skus:e.skus.map(o=>({sku_id:o.sku_id,flash_price:Z(o.flash_price,xt(o,n)),currency:o.currency,purchase_limit:it(o.purchase_limit),stock:o.stock.map(s=>({...s}))}))};for(let o of On){let s=e.limits?.[o];r[`limit_${o}`]=s&&s.requests>=0?`${s.requests}/${s.seconds}`:""}return r}function mo(e){return Object.fromEntries(On.map(n=>{let[r,o]=e[`limit_${n}`].split("/").map(Number);return[n,o?{requests:r,seconds:o}:{requests:-1}]}))}var fo=e=>e.split(/[\s,，、]+/).filter(Boolean),_o=(e,n)=>({...Object.fromEntries(Sn.map(r=>[r,e[r]])),ends_at:rt(e.ends_at,n?.ends_at),purchase_limit:at(e.purchase_limit),permit_ratio:at(e.permit_ratio),human_check:e.human_check,limits:mo(e),waiting_room:{paths_per_second:at(e.paths_per_second)},segments:e.segments===void 0?n?.segments??[]:fo(e.segments)});function ho(e,n,r){try{return{sku_id:e.sku_id,flash_price:J(e.flash_price,xt(e,n)),purchase_limit:at(e.purchase_limit)}}catch(o){throw Object.assign(o,{fields:{[`price-${r}`]:o.message}})}}function Ee(e,n,r){return{..._o(e,r),...r?.images&&{images:r.images},shop_id:e.shop_id,starts_at:rt(e.starts_at,r?.starts_at),pay_within_s:Math.round(Number(e.pay_within)*60),skus:e.skus.map((o,s)=>({...ho(o,n,s),currency:xt(o,n),stock:o.stock.map(a=>({point_id:a.point_id,quantity:Number(a.quantity)}))}))}}var xn={skus:"sku_id",stock:"point_id"};function Ce(e,n,r){return Object.fromEntries(Object.entries({...r,...n,...r}).map(([o,s])=>xn[o]?[o,go(xn[o],e[o]??[],n[o],s)]:[o,Se(n[o],e[o])?s:n[o]]))}function go(e,n,r,o){let s=(c,d)=>c.find(l=>l[e]===d[e]);return[...o.filter(c=>s(r,c)||!s(n,c)).map(c=>s(r,c)?Ce(s(n,c)??{},s(r,c),c):c),...r.filter(c=>!s(o,c)&&!Se(c,s(n,c)))]}var yo={pay_within_s:"pay_within","waiting_room.paths_per_second":"paths_per_second",waiting_room:"paths_per_second"},Pn={sku_id:"sku",flash_price:"price",purchase_limit:"limit"},bo={price:"flash_price",limit:"sku_limit",units:"units",sku:"sku"};function ko(e,n,r,o){let s=/^limits\.(item|user|ip)/.exec(e);if(s)return`limit_${s[1]}`;if(e.startsWith("segments["))return"segments";let[,a,c]=/^skus\[(\d+)\]\.?(.*)$/.exec(e)??[];if(a===void 0)return yo[e]??(e in r?e:void 0);let d=n.skus?.[Number(a)],l=r.skus.findIndex(h=>h.sku_id===d?.sku_id);if(l<0)return;if(Pn[c])return`${Pn[c]}-${l}`;let[,u]=/^stock\[(\d+)\]/.exec(c)??[],p=u===void 0?0:o.indexOf(d.stock[Number(u)].point_id);return`units-${l}-${Math.max(0,p)}`}function qn(e,n,r,o){let s={fields:{},rest:[]};for(let{field:a,detail:c}of e?.problem?.errors??[]){let d=ko(a,n??{},r,o);d&&!s.fields[d]?s.fields[d]=Vt(c):d||s.rest.push({field:a,detail:c})}for(let[a,c]of Object.entries(e?.fields??{}))s.fields[a]=c;return s}function vo(e,n){let[,r,o]=/^(sku|price|limit|units)-(\d+)/.exec(e)??[];return r?`${n.skus[Number(o)]?.sku_id}: ${t(bo[r])}`:t(e)}function En({error:e,wrong:n,form:r,mine:o,theirs:s,apart:a}){let c=Object.keys(n.fields);if(c.length===0)return i`<${Ht} ...${{error:e,mine:o,theirs:s,apart:a}} />`;let d=l=>()=>document.querySelector(`.edit [name="${l}"]`)?.focus();return i`<div class="problem" role="alert" id="wrong"><p>${t("edit_wrong")}</p>
    <div class="row">${c.map(l=>i`<button type="button" class="quiet" onClick=${d(l)}>${vo(l,r)}</button>`)}</div>
    ${n.rest.map(l=>i`<p class="muted"><code>${l.field}</code> ${l.detail}</p>`)}</div>`}var Cn=e=>JSON.stringify(e);function St(e,n=""){return Object.entries(e).filter(([,r])=>r!==void 0).flatMap(([r,o])=>Array.isArray(o)?o.length===0?[`${n}${r}: []`]:[`${n}${r}:`,...o.flatMap(s=>wo(s,n))]:typeof o=="object"?[`${n}${r}:`,...St(o,`${n}  `)]:[`${n}${r}: ${Cn(o)}`])}function wo(e,n){if(typeof e!="object")return[`${n}  - ${Cn(e)}`];let[r,...o]=St(e,`${n}    `);return[`${n}  - ${r.trim()}`,...o]}function xo(e,n,r,o){let s=o?.state==="offline"?void 0:o?.state??"draft";return`${St({activity_id:e,state:s,...Ee(n,r,o)}).join(`
`)}
`}function Ln({id:e,form:n,skus:r,sale:o}){let[s,a]=k({}),c=()=>{try{a({text:xo(e,n,r,o)})}catch(u){a({error:u})}},d=()=>a({}),l=async()=>a({...s,copied:await Ve(s.text)});return i`<button type="button" class="quiet" id="file" onClick=${c}>${t("sale_file")}</button>
    ${(s.text||s.error)&&i`<${K} title=${t("sale_file")} close=${d}>
      <p class="muted">${t("sale_file_help")} <code>onrush activities apply -f ${e}.yaml</code></p>
      <${T} error=${s.error} />
      ${s.text&&i`<pre class="file" tabindex="0">${s.text}</pre>`}
      <p role="status" id="file-copy">${s.copied===!1&&t("copy_failed")}</p>
      <div class="row">
        ${s.text&&i`<button type="button" class="go" onClick=${l}>${t(s.copied?"copied":"copy")}</button>
          <a class="button" download="${e}.yaml"
            href=${`data:text/yaml;charset=utf-8,${encodeURIComponent(s.text)}`}>${t("download_file")}</a>`}
        <button type="button" class="quiet" onClick=${d}>${t("close")}</button></div><//>`}`}var Tt=e=>Ie(`onrush.sale.${e??Oe("","new")}`);function jn(e){try{return JSON.parse(localStorage.getItem(Tt(e)))??void 0}catch{return}}function Dn(e,n){try{return localStorage.setItem(Tt(e),JSON.stringify(n)),!0}catch{return!1}}var Le=e=>localStorage.removeItem(Tt(e));function An(e){let[n,r]=k(""),o=C(!1);return q(()=>{if(!e)return;let a=l=>l.preventDefault(),c=l=>{let u=l.target.closest?.('a[href^="#/"]');!u||l.ctrlKey||l.metaKey||l.shiftKey||(l.preventDefault(),r(u.hash))},d=l=>{o.current||(l.preventDefault(),r(l.detail))};return addEventListener("beforeunload",a),document.addEventListener("click",c,!0),addEventListener(yt,d),()=>{removeEventListener("beforeunload",a),document.removeEventListener("click",c,!0),removeEventListener(yt,d)}},[e]),{target:n,stay:()=>r(""),go:a=>{o.current=!0,location.hash=a}}}function In({target:e,stay:n,go:r,discard:o}){return e?i`<${K} title=${t("leave_title")} close=${n}>
    <p class="muted">${t("leave_help")}</p>
    <div class="row">
      <button type="button" class="go" id="stay" onClick=${n}>${t("leave_stay")}</button>
      <button type="button" class="quiet" id="leave" onClick=${()=>r(e)}>${t("leave_keep")}</button>
      <button type="button" class="danger" id="leave-discard" onClick=${()=>{o(),r(e)}}>${t("leave_discard")}</button></div><//>`:null}function Mn({plan:e,apply:n,close:r}){return i`<${K} title=${t("edit_plan")} close=${r}>
    <${xe} fields=${e.differences} />
    <div class="row"><button type="button" class="go" id="apply" onClick=${n}>${t("save")}</button>
      <button type="button" class="quiet" onClick=${r}>${t("cancel")}</button></div><//>`}function Nn({form:e,skus:n}){let[r,o]=k(!1);return i`<button type="button" class="quiet" id="preview" onClick=${()=>o(!0)}>${t("preview")}</button>
    ${r&&i`<${K} title=${t("preview")} close=${()=>o(!1)}>
      <p class="muted">${t("preview_help")}</p>
      <article class="card preview">
        <${Fe} url=${e.image_url} title=${e.title||"?"} tone=${Ge(e.title)} />
        <p><span class="badge upcoming">${t("preview_starts",{time:L(e.starts_at)})}</span></p>
        <h3>${e.title||t("preview_untitled")}</h3>
        ${e.description&&i`<p class="description">${e.description}</p>`}
        <p class="tags">
          ${Number(e.purchase_limit)>0&&i`<span>${t("preview_limit",{limit:e.purchase_limit})}</span>`}
          ${Number(e.paths_per_second)>0&&i`<span>${t("room")}</span>`}
          ${e.human_check!=="none"&&i`<span>${t("human_check")}</span>`}
          ${e.segments&&i`<span>${t("preview_segments")}</span>`}
          <span>${t("preview_pay",{minutes:e.pay_within})}</span></p>
        <ul class="list">${e.skus.map(s=>i`<li><${Oo} sku=${s} skus=${n} /></li>`)}
        </ul></article>
      <button type="button" class="go" onClick=${()=>o(!1)}>${t("close")}</button><//>`}`}function Oo({sku:e,skus:n}){let r=n.find(s=>s.sku_id===e.sku_id),o=e.stock.reduce((s,a)=>s+(Number(a.quantity)||0),0);return i`<div class="sku"><span class="name">${r?.title??e.sku_id}</span>
    <${So} sku=${e} goods=${r} />
    <span class="muted">${t("preview_units",{units:o})}
      ${Number(e.purchase_limit)>0&&i` · ${t("preview_limit",{limit:e.purchase_limit})}`}</span></div>`}function So({sku:e,goods:n}){let r;try{r=J(e.flash_price,e.currency??n?.currency)}catch{r=void 0}if(!n||r===void 0)return i`<span class="price">–</span>`;let o=e.currency??n.currency,s=o===n.currency&&r<n.price;return i`<span class="price">${j(r,o)}
    ${s&&i`<s>${j(n.price,n.currency)}</s>`}</span>`}var Un=e=>e.replace(/\r?\n$/,"").split(/\r?\n/).map(n=>n.split("	").map(r=>r.trim()));function To(e){if(e==="")return"";let n=e.replace(/^[^\d.,-]+|[^\d.,]+$/g,"").replace(/\s/g,"");return/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(n)&&(n=n.replaceAll(",","")),n=n.replace(/^(\d+),(\d+)$/,"$1.$2"),/^\d+(\.\d+)?$/.test(n)?n:void 0}var ce=Oe("","price"),de=Oe("","limit"),je=(e,n)=>e.toLowerCase()===n.toLowerCase(),Rn=(e,n,r,o)=>e.find(s=>s[n]===o)??e.find(s=>je(s[n],o)||je(s[r],o)),Pt=(e="",n)=>Rn(n,"sku_id","title",e);function Po(e,n){return["flash_price","price",t("flash_price")].some(r=>je(r,e))?ce:["purchase_limit","limit",t("sku_limit")].some(r=>je(r,e))?de:je(t("units"),e)?"0":Rn(n,"point_id","name",e)?.point_id}function qo(e,n,r,{skus:o,points:s}){let a=Pt(e[0][0],o)?e:e.slice(1);if(a.length>0&&e[0].length>1&&a.every(([c])=>Pt(c,o))){let c=a===e?r:e[0].slice(1).map(d=>Po(d,s));return a.map(([d,...l])=>({id:Pt(d,o).sku_id,cells:l,columns:c}))}return e.map((c,d)=>({row:n.row+d,cells:c,columns:r.slice(Math.max(0,n.column))}))}function Eo(e,n,r,{skus:o,draft:s,started:a}){let c=To(r);if(!(c===void 0||n===void 0))return n===de?{...e,purchase_limit:c}:n===ce?a||c===""?void 0:{...e,flash_price:c}:!s||n!=="0"&&!ae(e.sku_id,o)?c===""?e:void 0:Pe(e,n,c)}function Fn(e,n,r,o,s){let a=[...e.skus],c={filled:0,skipped:0};for(let d of qo(n,r,o,s)){let l=d.row??a.findIndex(u=>u.sku_id===d.id);if(l<0&&s.draft){let u=s.skus.find(p=>p.sku_id===d.id);l=a.push({...qe(u,s.points),stock:[]})-1}d.cells.forEach((u,p)=>{let h=a[l]&&Eo(a[l],d.columns[p],u,s);h&&(a[l]=h),c[h?"filled":"skipped"]+=1})}return{form:{...e,skus:a},...c}}function Gn(e,n,r){let o=n.map(c=>c===ce?"flash_price":c===de?"purchase_limit":r.find(d=>d.point_id===c)?.point_id??c),s=(c,d)=>d===ce?c.flash_price:d===de?c.purchase_limit:c.stock.find(l=>l.point_id===d)?.quantity??"",a=e.skus.map(c=>[c.sku_id,...n.map(d=>s(c,d))]);return[["sku_id",...o],...a].map(c=>c.join("	")).join(`
`)}var Co=(e,n)=>n.find(r=>r.sku_id===e)?.title??e;function zn({form:e,change:n,skus:r,points:o,draft:s,started:a,wrong:c}){let[d,l]=k(),u=ct(e,o),p=be(()=>u,[u.join()]),h=r.filter(O=>!e.skus.some(w=>w.sku_id===O.sku_id)),$=e.skus.map(O=>O.sku_id).join(),m=(O,w)=>n(S=>({skus:S.skus.map((P,V)=>V===O?{...P,...w(P)}:P)})),f=()=>n({skus:[...e.skus,qe(h[0],o)]}),_=O=>n(w=>({skus:w.skus.filter((S,P)=>P!==O)})),v=O=>{let[,w,S,P="0"]=/^(sku|price|limit|units)-(\d+)(?:-(\d+))?$/.exec(O.target.name)??[],V=Un(O.clipboardData.getData("text/plain"));if(!w||V.flat().length<2)return;O.preventDefault();let ue={sku:-1,price:0,limit:1,units:2+Number(P)}[w],ye={skus:r,points:o,draft:s,started:a},pe=Fn(e,V,{row:Number(S),column:ue},[ce,de,...p],ye);l({...pe,before:e}),n(pe.form)},x=()=>{n(d.before),l()};return i`<section class="card"><h2>${t("edit_skus")}</h2>
    ${r.length===0&&i`<p class="empty">${t("edit_no_skus")} <a href="#/goods">${t("menu_goods")}</a></p>`}
    <p class="muted">${t("edit_paste_help")}</p>
    ${e.skus.length>0&&i`<${Do} ...${{form:e,set:m,remove:_,columns:p,skus:r,points:o,draft:s,started:a}}
      used=${$} wrong=${c} take=${v} />`}
    <div aria-live="polite">${d&&i`<p class="notice" id="pasted">
      ${t("pasted",{filled:y(d.filled)})}
      ${d.skipped>0&&i` ${t("pasted_skipped",{skipped:y(d.skipped)})}`}${" "}
      <button type="button" class="quiet" onClick=${x}>${t("undo")}</button></p>`}</div>
    <div class="row">
      ${s&&h.length>0&&i`<button type="button" class="quiet" id="add-sku" onClick=${f}>
        ${t("add_sku")}</button>`}
      ${s&&i`<${jo} form=${e} change=${n} columns=${p} points=${o} skus=${r} />`}
      <${Lo} text=${()=>Gn(e,[ce,de,...p],o)} /></div></section>`}function Lo({text:e}){let[n,r]=k();return i`<button type="button" class="quiet" id="copy-table" onClick=${async()=>r(await Ve(e())?!0:{text:e()})}>
      ${t(n===!0?"copied":"copy_table")}</button>
    <div role="status" id="copy-failed">${n?.text&&i`<p>${t("copy_failed")}</p>
        <textarea readonly rows="4" aria-label=${t("copy_table")} value=${n.text}
          onFocus=${s=>s.target.select()}></textarea>`}</div>`}function jo({form:e,change:n,columns:r,points:o,skus:s}){let a=o.filter(l=>!r.includes(l.point_id));if(a.length===0||!e.skus.some(l=>ae(l.sku_id,s)))return null;let c=l=>n({points:[...e.points??[],l.target.value]}),d=[["",t("add_point")],...a.map(l=>[l.point_id,l.name])];return i`<label class="inline"><span class="hidden">${t("add_point")}</span>
    <${bt} name="add-point" value="" options=${d} onChange=${c} /></label>`}function Do({form:e,set:n,remove:r,columns:o,skus:s,points:a,draft:c,started:d,used:l,wrong:u,take:p}){let h=e.skus.some(m=>ae(m.sku_id,s)),$=m=>h?a.find(f=>f.point_id===m)?.name??m:t("units");return i`<div class="table grid" tabindex="0" role="region" aria-label=${t("edit_skus")}><table onPaste=${p}>
    <thead><tr><th scope="col">${t("sku")}</th>
      <th scope="col">${t("flash_price")}${d&&i`<${Bn} why=${t("locked_started")} />`}</th>
      <th scope="col">${t("sku_limit")}
        ${d&&i`<span class="muted">${t("only_raised")}</span>`}</th>
      ${o.map(m=>i`<th scope="col">${$(m)}
        ${h&&i`<span class="muted">${t("units")}</span>`}
        ${!c&&i`<${Bn} why=${t("edit_stock_live")} />`}</th>`)}
      ${c&&i`<th><span class="hidden">${t("remove_sku")}</span></th>`}</tr></thead>
    <tbody>${e.skus.map((m,f)=>i`
      <${qt} key=${f} ...${{sku:m,i:f,set:n,remove:r,columns:o,skus:s,draft:c,started:d,used:l,wrong:u,nameOf:$}}
        only=${e.skus.length===1} delivered=${h} />`)}</tbody></table></div>
    ${!c&&i`<p class="muted locked"><${Re} name="lock" /> ${t("edit_stock_live")}</p>`}
    ${d&&i`<p class="muted locked"><${Re} name="lock" /> ${t("locked_started_price")}</p>`}`}function Bn({why:e}){return i` <span class="lock" title=${e}><${Re} name="lock" /><span class="hidden">${e}</span></span>`}var Ao=["sku","i","columns","used","draft","started","wrong","only","delivered"],qt=class extends Ae{shouldComponentUpdate(n){return Ao.some(r=>n[r]!==this.props[r])}render({sku:n,i:r,set:o,remove:s,columns:a,skus:c,draft:d,started:l,used:u,wrong:p,only:h,nameOf:$}){let m=Co(n.sku_id,c),f=u.split(","),v=c.filter(w=>w.sku_id===n.sku_id||!f.includes(w.sku_id)).map(w=>[w.sku_id,w.title]);v.some(([w])=>w===n.sku_id)||v.unshift([n.sku_id,n.sku_id]);let x=w=>{let S=w.target.value,P=ae(S,c)?void 0:Pe({stock:[]},"0",Mo(n));o(r,()=>({sku_id:S,flash_price:Tn(S,c),currency:Te(S,c),...P}))},O=(w,S,P,V,ue)=>i`<td data-name=${S}>
      <${Io} name=${w} label=${`${m}: ${S}`} value=${P} error=${p[w]}
        onInput=${ye=>o(r,pe=>V(pe,ye.target.value))} ...${ue} /></td>`;return i`<tr>
      <td data-name=${t("sku")}><${bt} name="sku-${r}" aria-label=${t("sku")} value=${n.sku_id}
          disabled=${!d} options=${v} onChange=${x} aria-invalid=${!!p[`sku-${r}`]}
          aria-describedby=${p[`sku-${r}`]&&`wrong-sku-${r}`} />
        ${p[`sku-${r}`]&&i`<p class="bad" id="wrong-sku-${r}">${p[`sku-${r}`]}</p>`}
        <p class="muted">${No(n.sku_id,c)}</p></td>
      ${O(`price-${r}`,t("flash_price"),n.flash_price,(w,S)=>({flash_price:S}),{required:!0,disabled:l})}
      ${O(`limit-${r}`,t("sku_limit"),n.purchase_limit,(w,S)=>({purchase_limit:S}),{min:1,placeholder:t("no_limit")})}
      ${a.map((w,S)=>w!=="0"&&!ae(n.sku_id,c)?i`<td data-name=${$(w)} class="none" title=${t("not_delivered")}>
              <span aria-hidden="true">–</span><span class="hidden">${t("not_delivered")}</span></td>`:O(`units-${r}-${S}`,$(w),n.stock.find(P=>P.point_id===w)?.quantity??"",(P,V)=>Pe(P,w,V),{disabled:!d,required:n.stock.length===0}))}
      ${d&&i`<td><button type="button" class="quiet square" disabled=${h}
          title=${h?t("remove_sku_last"):t("remove_sku")} aria-label=${`${m}: ${t("remove_sku")}`}
          onClick=${()=>s(r)}>×</button></td>`}</tr>`}};function Io({name:e,label:n,error:r,...o}){return i`<input name=${e} type="number" min="0" step="any" aria-label=${n} onKeyDown=${a=>{if(a.key!=="Enter")return;a.preventDefault();let c=e.replace(/-(\d+)/,(d,l)=>`-${Number(l)+1}`);document.querySelector(`.edit [name="${c}"]`)?.select()}}
      aria-invalid=${!!r} aria-describedby=${r&&`wrong-${e}`} ...${o} />
    ${r&&i`<p class="bad" id="wrong-${e}">${r}</p>`}`}var Mo=e=>e.stock.reduce((n,r)=>n+Number(r.quantity),0);function No(e,n){let r=n.find(o=>o.sku_id===e);return r?t("list_price_is",{price:j(r.price,Te(e,n))}):""}var Uo=e=>new Promise(n=>{let r=new Image;r.onload=()=>n(!0),r.onerror=()=>n(!1),r.src=e});function Ro(e){let[n,r]=k([]);return q(()=>{let o=!0,s=[...new Set(e.filter(Boolean))];return Promise.all(s.map(Uo)).then(a=>{let d=s.filter((l,u)=>!a[u]).map(l=>({check:"pictures",level:"warning",detail:l}));o&&r(d.length>0?d:[{check:"pictures",level:"ok"}])}),()=>{o=!1}},[e.join(" ")]),n}function Jn({checks:e,pictures:n,publish:r,then:o}){let s=Qt(e),a=[...e,...Ro(n)],c=a.some(l=>l.level==="failure"),d=l=>{let u=`check_${l.check}_${l.level}`,p=["limits","prices","stock","times"].includes(l.check)||l.level==="ok";return i`${ke(u)?t(u,{sku:l.sku_id??"",point:l.point_id??""}):l.detail}
      ${ke(u)&&!p&&i`<span class="muted">${l.detail}</span>`}`};return i`<section class="card checks" id="checks" ref=${s} tabindex="-1" aria-labelledby="checks-title">
    <h2 id="checks-title">${t("checks")}</h2>
    <ul>${a.map(l=>i`<li class=${l.level}>
      <span class="level">${t(`level_${l.level}`)}</span> ${d(l)}</li>`)}</ul>
    ${c?i`<p class="bad">${t("checks_failed")}</p>`:i`<${b} route="POST /activities/{activity_id}/publish" label=${t("publish")} kind="go large"
            id="publish" run=${r} then=${o} />`}</section>`}function Fo({id:e}){let{value:n,error:r,reload:o}=M(async()=>{let[s,a,c,d]=await Promise.all([e?g("GET",`/activities/${encodeURIComponent(e)}`):void 0,e?B("/skus",{activity_id:e}):[],B("/skus"),B("/points")]),l=new Map([...a,...c].map(u=>[u.sku_id,u]));return{sale:s,skus:[...l.values()],points:d}});return n?i`<${zo} ...${n} />`:r?i`<${T} error=${r} retry=${o} />`:i`<${D} />`}function Go(e,n,r){let o=be(()=>jn(e?.activity_id),[]),[s,a]=k(()=>e?.activity_id??o?.id??we()),[c,d]=k(()=>e?se(e,n):o?.base??Ot(n,r)),[l,u]=k(()=>o?Ce(o.base,o.form,c):c),[p,h]=k(!0),[$,m]=k(o?.at),[f,_]=k(!e),v=!Se(l,c);q(()=>{let S=f?void 0:s;v?h(Dn(S,{form:l,base:c,id:s,at:new Date().toISOString()})):Le(S)},[l,c,s]);let x=()=>a(we());return{id:s,base:c,setBase:d,form:l,setForm:u,unsaved:v,isKept:p,saved:S=>{f&&Le(void 0),_(!1),m(),d(se(S,n)),u(P=>Ce(l,P,se(S,n)))},discard:()=>{let S=f?Ot(n,r):c;m(),d(S),u(S),f&&x()},renew:x,restored:v&&$}}async function Bo(e,n,r){try{return await g("PUT",e,{body:n,create:!0})}catch(o){if(!Wt(o))throw o;let s=await g("GET",e);if(s.state==="draft"&&Se(Ee(se(s,r),r,s),n))return s;throw o}}function zo({sale:e,skus:n,points:r}){let[o,s]=k(e),a=Go(e,n,r),{id:c,base:d,setBase:l,form:u,setForm:p,unsaved:h,isKept:$,saved:m,restored:f}=a,[_,v]=k({}),x=An(h),O=!o||o.state==="draft",w=!O&&ne(o)!=="upcoming",S=Q=>{p(I=>({...I,...typeof Q=="function"?Q(I):Q})),v(I=>I.busy?I:{})},P=`/activities/${c}`,V=Q=>async()=>{try{let I=await g("GET",P);s(I),l(se(I,n)),p(Q?Ce(o?d:{},u,se(I,n)):se(I,n)),v({})}catch(I){v({error:I})}},ue=Q=>async I=>{I?.preventDefault(),v({busy:!0});let Y;try{if(Y=Ee(u,n,o),!O){let gt=await g("PUT",`${P}/file?dry_run=true`,{version:o.version,body:Y});gt.differences.length===0&&m(o),v(gt.differences.length===0?{saved:!0}:{plan:gt,body:Y});return}let $e=await(o?g("PUT",P,{version:o.version,body:Y}):Bo(P,Y,n));s($e),m($e),o||history.replaceState(null,"",`#/edit/${$e.activity_id}`),v(await Q($e))}catch($e){v({error:$e,body:Y})}},ye=async({plan:Q,body:I})=>{v({busy:!0});try{await g("PUT",`${P}/file`,{version:Q.version,body:I});let Y=await g("GET",P);s(Y),m(Y),v({saved:!0})}catch(Y){v({error:Y,body:I})}},pe=()=>{a.renew(),v({})},Wr=async Q=>({checks:(await g("GET",`/activities/${Q.activity_id}/checks`)).items}),ht=be(()=>qn(_.error,_.body,u,ct(u,r)),[_.error]);return q(()=>{_.error&&document.querySelector(".edit [aria-invalid=true]")?.focus()},[_.error]),i`<${Qo} sale=${o} draft=${O} path=${P} closed=${s}
      gone=${()=>x.go("#/sales")} />
    ${!O&&i`<p class="notice">${t("edit_published")}</p>`}
    ${f&&i`<p class="notice" id="restored">${t("edit_restored",{time:L(f)})}${" "}
      <button type="button" class="quiet" onClick=${a.discard}>${t("edit_discard")}</button></p>`}
    <form class="edit" onSubmit=${ue(async()=>({saved:!0}))}>
      <${Jo} form=${u} change=${S} wrong=${ht.fields} draft=${O} started=${w}>
        <${zn} form=${u} change=${S} skus=${n} points=${r} draft=${O} started=${w}
          wrong=${ht.fields} /><//>
      ${!w&&i`<${ln} id=${c} form=${u} />`}
      <${En} error=${_.error} wrong=${ht} form=${u} mine=${V(!0)} theirs=${V(!1)}
        apart=${!o&&pe} />
      <div class="bar-row row"><${Yo} draft=${O} busy=${_.busy} check=${ue(Wr)} />
        <${Nn} form=${u} skus=${n} /><${Ln} id=${c} form=${u} skus=${n} sale=${o} />
        <${Ko} saved=${_.saved} unsaved=${h} isKept=${$} /></div>
      ${_.checks&&i`<${Jn} checks=${_.checks} pictures=${Wo(o,n)} publish=${()=>Ho(o)}
        then=${Vo} />`}
    </form>
    ${_.plan&&i`<${Mn} plan=${_.plan} apply=${()=>ye(_)} close=${()=>v({})} />`}
    <${In} ...${x} discard=${()=>Le(o?.activity_id)} />`}function Jo({form:e,change:n,wrong:r,draft:o,started:s,children:a}){let c=m=>({name:m,value:e[m],onInput:f=>n({[m]:f.target.value})}),d=(m,f)=>i`<${Yt} label=${t(m)} error=${r[m]} ...${c(m)} ...${f} />`,l={options:["none","pow","captcha"].map(m=>[m,t(`human_${m}`)]),onChange:m=>n({human_check:m.target.value})},u={placeholder:"10/1",pattern:"[1-9]\\d*/[1-9]\\d*",help:t("limit_form")},p=m=>{let f=new Date(e[m]);if(!Number.isNaN(f.getTime()))return f<new Date?t("time_past",{time:L(f)}):L(f)},h=s?t("locked_started"):void 0,$=o?void 0:t("locked_published");return i`<section class="card"><h2>${t("edit_what")}</h2>
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
      ${d("segments",{help:t("segments_help"),maxlength:600})}</div></section>`}function Ko({saved:e,unsaved:n,isKept:r}){return i`<div class="saved" aria-live="polite">
    ${e&&!n&&i`<p class="good" id="saved">${t("saved")}</p>`}
    ${n&&i`<p class="muted" id="unsaved">${t(r?"unsaved":"unsaved_not_kept")}</p>`}</div>`}var Wo=(e,n)=>[e.image_url,...e.skus.map(r=>n.find(o=>o.sku_id===r.sku_id)?.image_url)],Ho=e=>g("POST",`/activities/${e.activity_id}/publish`,{version:e.version}),Vo=e=>{location.hash=`#/live/${e.activity_id}`};function Qo({sale:e,draft:n,path:r,closed:o,gone:s}){if(!e)return i`<div class="row heading"><h1>${t("new_sale")}</h1></div>`;let a=(c,d,l=e.version)=>g("DELETE",r,{version:l});return i`<div class="row heading"><h1>${e.title}</h1><${Xe} sale=${e} />
      ${!n&&i`<a class="button" href="#/live/${e.activity_id}">${t("show_live")}</a>`}
      <${ot} sale=${e} /><${st} sale=${e} then=${o} />
      ${n&&i`<${b} route="DELETE /activities/{activity_id}" label=${t("delete")}
          title=${t("delete_title",{name:e.title})} kind="danger"
        help=${t("delete_draft_help")}
        run=${a} then=${()=>{Le(e.activity_id),s()}} />`}</div>`}function Yo({draft:e,busy:n,check:r}){return i`<button class=${e?"quiet":"go"} id="save" disabled=${n}>
      ${t(e?"save_draft":"save")}</button>
    ${e&&i`<button type="button" class="go" id="check" disabled=${n}
      onClick=${o=>o.target.form.reportValidity()&&r()}>${t("check_and_publish")}</button>`}`}var Zo=/^[!-~]{1,64}$/,Xo=/^"((?:[^"]|"")*)"$/,es=/^="((?:[^"]|"")*)"$/,ts=/^([+-]?\d([.,]\d+)?E[+-]\d+|#(N\/A|NV|NAME|\S*[!?]|#+))$/i,ge="(0?[1-9]|[12]\\d|3[01])",Et="(0?[1-9]|1[0-2])",dt="(\\d{2}|[12]\\d{3})",Kn="([Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)",ns=[`${ge}\\.${Et}\\.${dt}`,`${ge}/${ge}/${dt}`,`[12]\\d{3}-${Et}-${ge}`,`[12]\\d{3}/${Et}/${ge}`,`${Kn}-${dt}`,`${ge}-${Kn}(-${dt})?`],rs=new RegExp(`^(${ns.join("|")})$`),os=/(code|voucher|coupon|key|pin|serial|number)s?$/i,Wn=e=>/\d/.test(e),Hn=(e,n)=>e.exec(n)?.[1].replaceAll('""','"').trim();function ss(e){let n=Hn(Xo,e),r=Hn(es,n??e);return r!==void 0?r:n===void 0&&/^=?"|[,;\t]/.test(e)?"":(n??e).replace(/^'/,"").trim()}function is(e){return e.length===0||Wn(e[0])?!1:os.test(e[0])||e.length>1&&e.slice(1).every(Wn)}function Ct(e="",n=!0){let r={codes:[],wrong:[]},o=0;return e.split(`
`).forEach((s,a)=>{if(!s.trim())return;let c=ss(s.trim()),d=n&&(ts.test(c)||rs.test(c));if(!Zo.test(c)||d)return r.wrong.push(a+1);o||=a+1,r.codes.push(c)}),n&&is(r.codes)&&r.wrong.unshift(o),r}var Vn=1e4,Lt=1e5,Qn=5,as=e=>t("codes_refused",{count:y(e.length),lines:e.slice(0,Qn).join(", ")+(e.length>Qn?" …":"")}),Yn=()=>t("codes_most",{most:y(Lt)});function Zn({codes:e},n){let r=Ct(e,n),o=t("codes_counted",{codes:y(r.codes.length)});return i`${o}${r.wrong.length>0&&i`<br />${as(r.wrong)}`}`}async function cs({target:e}){let[n]=e.files;if(e.setCustomValidity(n?.size>Lt*66?Yn():""),!n||!e.reportValidity())return;let{codes:r}=e.form.elements;r.value=await n.text(),r.dispatchEvent(new Event("input",{bubbles:!0}))}function Xn(e,n){let{codes:r,wrong:o}=Ct(e,n);if(o.length)throw new Error(t("codes_nothing"));if(r.length>Lt)throw new Error(Yn());return r}function er(e,n){let r=C({text:"",key:""});return async(o,s={})=>{let a=JSON.stringify([o,s]);r.current.text!==a&&(r.current={text:a,key:we()});let c=[];for(let d=0;d===0||d<o.length;d+=Vn){let l={...s,codes:o.slice(d,d+Vn)},u=`/skus/${encodeURIComponent(e.sku_id)}/vouchers:${n}`;c.push(await g("POST",u,{key:`${r.current.key}-${d}`,body:l}))}return r.current={text:"",key:""},c}}var tr=({done:e,sku:n,...r})=>t(`codes_${e}`,{sku:n,...Object.fromEntries(Object.entries(r).map(([o,s])=>[o,y(s)]))}),nr=e=>[{name:"codes",label:t("codes"),type:"textarea",rows:8,required:e,spellcheck:!1},{name:"file",label:t("codes_file"),type:"file",accept:".txt,.csv,text/plain",onChange:cs}];function rr({sku:e,then:n}){let r=er(e,"import"),o=async({codes:s})=>{let a={imported:0,known:0,repeated:0};for(let{accepted:c,skipped:d}of await r(Xn(s,!0))){a.imported+=c;for(let{reason:l}of d)a[l]+=1}return{done:"imported",sku:e.sku_id,...a}};return i`<${b} route="POST /skus/{sku_id}/vouchers:import" id="import-${e.sku_id}"
    label=${t("import_codes")} title=${t("import_codes_title",{name:e.title})} help=${t("import_codes_help")}
    fields=${nr(!0)} preview=${s=>Zn(s,!0)} run=${o} then=${n} />`}function or({sku:e,then:n}){let r=er(e,"withdraw"),o=async({codes:d,all:l})=>{let u=[...new Set(Xn(d,!1))];if(!!l==u.length>0)throw new Error(t("withdraw_codes_which"));let h=(await r(u,{all:!!l})).reduce(($,m)=>$+m.withdrawn,0);return{done:"withdrawn",sku:e.sku_id,withdrawn:h,kept:l?0:u.length-h}},s=t("type_to_confirm",{what:e.sku_id}),a=[...nr(!1),{name:"all",label:t("withdraw_codes_all"),type:"checkbox"},{name:"confirm",label:s,required:!0,pattern:e.sku_id.replaceAll(".","\\.")}],c=d=>d.all&&!d.codes?t("withdraw_codes_all"):Zn(d,!1);return i`<${b} route="POST /skus/{sku_id}/vouchers:withdraw" id="withdraw-${e.sku_id}" kind="danger"
    label=${t("withdraw_codes")} title=${t("withdraw_codes")} help=${t("withdraw_codes_help")} fields=${a}
    preview=${c} run=${o} then=${n} />`}var ds=()=>["physical","virtual","voucher"].map(e=>[e,t(`kind_${e}`)]),lt=e=>`/skus/${encodeURIComponent(e)}`;function sr(e){let n=r=>e?Z(r,e.currency):"";return[...e?[]:[{name:"sku_id",label:t("sku_id"),required:!0,...te}],{name:"title",label:t("title"),required:!0,maxlength:200,initial:e?.title},{name:"description",label:t("description"),type:"textarea",maxlength:2e3,initial:e?.description},{name:"shop_id",label:t("shop_id"),required:!0,...te,initial:e?.shop_id??Be()},{name:"kind",label:t("kind"),options:ds(),initial:e?.kind},{name:"currency",label:t("currency"),required:!0,pattern:"[A-Z]{3}",initial:e?.currency??"CNY"},{name:"price",label:t("list_price"),type:"number",min:0,required:!0,initial:n(e?.price)},{name:"fee",of:"freight.fee",label:t("freight"),type:"number",min:0,initial:n(e?.freight.fee)},{name:"free_over",of:"freight.free_over",label:t("free_over"),help:t("free_over_help"),type:"number",min:0,initial:n(e?.freight.free_over)},{name:"required_fields",label:t("required_fields"),help:t("required_fields_help"),type:"textarea",maxlength:1500,initial:e?.required_fields?.join(`
`)},{name:"image_url",label:t("image_url"),maxlength:500,initial:e?.image_url},...e?[]:[{name:"stock",label:t("ordinary_stock"),type:"number",min:0,initial:0}]]}var ir=e=>(n,r,o)=>Je(e,lt(e?.sku_id??n.sku_id),{body:{title:n.title,description:n.description,shop_id:n.shop_id,kind:n.kind,currency:n.currency,image_url:n.image_url,required_fields:n.required_fields.split(`
`).map(s=>s.trim()).filter(Boolean),price:J(n.price,n.currency),freight:{fee:J(n.fee,n.currency)??0,free_over:J(n.free_over,n.currency)??0},...n.stock&&{stock:Number(n.stock)}}},o);function ls({query:e}){let n=new URLSearchParams(e).get("sku_id");return n?i`<${us} id=${n} />`:i`<${ps} />`}function us({id:e}){return i`<${ar} list=${We(lt(e))}><p><a href="#/goods">${t("all_goods")}</a></p><//>`}function ps(){let[e,n]=k({shop_id:""}),r=G("/skus",e);return i`<${ar} list=${r}><${ee} values=${e} change=${n}
    fields=${[{name:"shop_id",label:t("shop_id"),maxlength:te.maxlength}]} /><//>`}function ar({list:e,children:n}){let[r,o]=k(),s=[[i`<span class="hidden">${t("image_url")}</span>`,a=>i`<span class="thumb">
      <${Fe} url=${a.image_url} title=${a.title} tone=${Ge(a.sku_id)} /></span>`,"thumbnail"],[t("title"),a=>i`<b>${a.title}</b><p class="muted"><code>${a.sku_id}</code></p>`,"lead wide"],[t("shop"),a=>a.shop_id,"named"],[t("kind"),a=>t(`kind_${a.kind}`)],[t("list_price"),a=>j(a.price,a.currency),"number named"],[t("freight"),a=>j(a.freight.fee,a.currency),"number named"],[t("ordinary_stock"),a=>y(a.stock),"number named"],["",a=>i`<div class="row actions many">
      <${b} route="PUT /skus/{sku_id}"
        label=${t("edit")} title=${t("edit")} fields=${sr(a)} run=${ir(a)} then=${e.reload} />
      <${$s} sku=${a} then=${e.reload} />
      ${a.kind==="voucher"&&i`<${rr} sku=${a} then=${o} /><${or} sku=${a} then=${o} />`}
      <${b} route="DELETE /skus/{sku_id}"
        label=${t("delete")} title=${t("delete_title",{name:a.title})} kind="danger"
        help=${t("delete_sku_help")}
        run=${(c,d,l=a.version)=>g("DELETE",lt(a.sku_id),{version:l})}
        then=${e.reload} /></div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_goods")}</h1>
      <${b} route="PUT /skus/{sku_id}"
        label=${t("new_sku")} title=${t("new_sku")} kind="go" fields=${sr()} run=${ir()}
        then=${e.reload} /></div>
    ${n}
    <p role="status" id="codes" class=${r?"notice":""}>${r&&tr(r)}</p>
    <${z} list=${e} name=${t("menu_goods")} columns=${s} empty=${t("goods_none")}
      keyOf=${a=>a.sku_id} />`}function $s({sku:e,then:n}){let r=`${lt(e.sku_id)}/stock`,o=(d,l)=>t(l,{sku:e.title,before:y(e.stock),after:y(tt(e.stock,d))}),s=(d,l)=>g("POST",r,{key:l,body:{delta:d}}),a=(d,l,u=e.stock_version)=>d.how==="set"?g("PUT",r,{version:u,body:{stock:Number(d.units)}}):s(he(d),l),c=(d,l)=>{let u=l.how==="set"?e.stock-Number(l.units):-he(l);return u!==0&&(p=>s(u,p))};return i`<${b} route="POST /skus/{sku_id}/stock" label=${t("change_stock")} title=${t("change_stock")}
    help=${t("set_stock_help")} id="stock-${e.sku_id}" fields=${et()} run=${a} then=${n}
    preview=${d=>o(d,"goods_stock_preview")} done=${(d,l)=>o(l,"done_goods_stock")}
    undo=${c} />`}var ms=["till","support","catalogue","read","events","payments","admin"];function cr(e){return e.revoked_at?"revoked":e.expires_at&&Date.parse(e.expires_at)<=Ne()?"expired":"active"}function fs({revoked_at:e,revoked_by:n,expires_at:r}){return e?i`<${A} at=${e} /><p class="muted">${n}</p>`:r?i`<${A} at=${r} />`:t("no_end")}function _s(){let e=G("/keys"),[n,r]=k(),o=[{name:"name",label:t("name"),help:t("key_name_help"),required:!0,maxlength:60},{name:"scope",label:t("scope"),options:ms.map(d=>[d,t(`scope_${d}`)]),initial:"till"},{name:"shop",of:"shop_id",label:t("shop"),help:t("key_shop_help"),...te},{name:"until",of:"expires_at",label:t("key_until"),help:t("key_until_help"),type:"datetime-local"}],s=({name:d,scope:l,shop:u,until:p},h)=>g("POST","/keys",{key:h,body:{name:d,scope:l,...u&&{shop_id:u},...p&&{expires_at:new Date(p).toISOString()}}}),a=d=>{r(d),e.reload()},c=[[t("name"),d=>i`<b>${d.name}</b>`,"lead"],[t("scope"),d=>i`<span title=${t(`scope_${d.scope}_help`)}>${t(`scope_${d.scope}`)}</span>`],[t("shop"),d=>d.shop_id??t("all_shops"),"named"],[t("state"),d=>i`<${R} state=${cr(d)} />`],[N(t("last_used")),d=>d.last_used_at?i`<${A} at=${d.last_used_at} />`:t("never"),"named"],[N(t("made")),d=>i`<${A} at=${d.created_at} /><p class="muted">${d.created_by}</p>`,"named"],[N(t("ends")),fs,"named"],["",d=>cr(d)==="active"&&i`<${b} label=${t("revoke")} title=${t("revoke_title",{name:d.name})} help=${t("revoke_help")}
        kind="danger" id="revoke-${d.key_id}" run=${()=>g("DELETE",`/keys/${d.key_id}`)} then=${e.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_keys")}</h1>
      <${b} label=${t("new_key")} kind="go" id="new-key" title=${t("new_key")} fields=${o} run=${s}
        then=${a} preview=${({scope:d="till"})=>t(`scope_${d}_help`)} /></div>
    <p class="muted">${t("keys_help")}</p>
    <${z} list=${e} name=${t("menu_keys")} columns=${c} empty=${t("keys_none")}
      keyOf=${d=>d.key_id} />
    ${n&&i`<${cn} title=${t("key_made",{name:n.name})} help=${t("key_made_help")} secret=${n.secret}
        close=${()=>r()} />`}`}var lr=1e3,hs=300;async function dr(e){let n=e&&{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)},r=await Gt(Rt("/dev/crowd"),n||{}).catch(()=>{throw{code:"unreachable"}}),o=await r.json();if(!r.ok)throw o;return o}function gs(e){let[n,r]=k(),[o,s]=k(),[a,c]=k(""),[d,l]=k(0),u=C(!1),p=!!n?.running;return q(()=>{let $=!0,m=setTimeout(()=>dr().then(f=>{if($){if(f.activity_id!==e||!f.buyers){r(void 0);return}r(f),f.running&&s(),p&&!f.running&&c(t("crowd_ended",{ordered:y(f.ordered),refused:y(f.refused),drift:y(f.drift)})),l(_=>_+(f.running?1:0))}},()=>$&&l(f=>f+(p?1:0))),p?hs:0);return()=>{$=!1,clearTimeout(m)}},[e,d]),{crowd:n,error:o,said:a,running:p,send:async()=>{if(!u.current){u.current=!0,s();try{let $=await dr({activity_id:e,buyers:lr});r($),c(t("crowd_begun",{count:y($.buyers)}))}catch($){s($)}u.current=!1,l($=>$+1)}}}}function ur({activity:e,sells:n=!0}){let{crowd:r,error:o,said:s,running:a,send:c}=gs(e);if(!n&&!r)return null;let d=y(lr),l=t(r?"crowd_again":"crowd_send",{count:d}),u=a?t("crowd_running",{count:y(r.buyers)}):l;return i`<section class="crowd card" aria-labelledby="crowd-title">
    <div class="crowd-head"><div><span class="badge">${t("crowd_demo")}</span>
        <h2 id="crowd-title">${t("crowd_title",{count:d})}</h2>
        <p class="muted">${t("crowd_help")}</p></div>
      <button
        id="send-crowd"
        class="large"
        disabled=${a||!n}
        onClick=${c}
      >${u}</button></div>
    ${o?.code==="conflict"?i`<p class="problem" role="alert">${t("crowd_busy")}</p>`:i`<${T} error=${o} />`}
    ${r&&i`<${ys} crowd=${r} />`}
    <p class="hidden" role="status">${s}</p>
  </section>`}function ys({crowd:e}){let n=[["bought",e.ordered],["refused",e.refused],["waiting",e.waiting]],r=Math.max(e.elapsed_ms,1)/1e3,o=e.units_before-e.units_left,s=e.ok!==void 0,a=!e.running&&o===e.ordered,c={sold:y(o),total:y(e.units_before)},d=e.drift===0?"good":"bad",l=(u,p,h="")=>i`<div class="fact ${u} ${h}"><dt>${t(`crowd_${u}`)}</dt>
    <dd>${p}${h==="good"&&i`<span aria-hidden="true"> ✓</span>`}</dd></div>`;return i`<div class="outcome ${e.running?"running":"over"}">
    <div class="crowd-bar" aria-hidden="true">${n.map(([u,p])=>i`
      <span class=${u} style=${{width:`${100*p/e.buyers}%`}}></span>`)}</div>
    <dl class="crowd-numbers">${n.map(([u,p])=>i`<div class=${u}>
      <dt>${t(`crowd_${u}`)}</dt><dd>${y(p)}</dd></div>`)}</dl>
    <dl class="crowd-facts">
      ${l("sold",t("crowd_sold_of",c),a?"good":"")}
      ${l("drift",s?y(e.drift):"…",s?d:"")}
      ${l("rate",y(Math.round(e.requests/r)))}
      ${l("time",t("crowd_seconds",{seconds:r.toFixed(1)}))}</dl>
    <${bs} answers=${e.answers} /></div>`}function bs({answers:e}){let n={};for(let[s,a]of Object.entries(e)){let c=s.slice(s.indexOf(":")+1);c!=="ok"&&(n[c]=(n[c]??0)+a)}let r=Object.entries(n).sort(([,s],[,a])=>a-s);if(r.length===0)return null;let[[,o]]=r;return i`<div class="told"><h3>${t("crowd_told")}</h3>
    <ul>${r.map(([s,a])=>i`<li key=${s}><span>${ks(s)}</span><b>${y(a)} ×</b>
      <span class="told-bar" aria-hidden="true">
        <span style=${{width:`${100*a/o}%`}}></span></span></li>`)}</ul></div>`}function ks(e){for(let n of[`crowd_told_${e}`,`problem_${e}`])if(ke(n))return t(n);return e}function vs(e){return e.ok?!0:e.changes_stuck>0&&e.bought_wrong===0&&_e([...e.items,...e.totals])===0}function ws(e){let n=new Map;for(let r of e)n.has(r.sku_id)||n.set(r.sku_id,[]),n.get(r.sku_id).push(r);return[...n].map(([r,o])=>({sku_id:r,points:o,...tn(o)}))}function pr({audit:e,sale:n,again:r}){let o=ws(e.items),s=o.map(p=>p.sku_id),[a,c]=k(()=>new Set(s.length<=10?s:[])),d=p=>c(h=>{let $=new Set(h);return $.delete(p)||$.add(p),$}),l=a.size===s.length,u=vs(e);return i`<section class="account"><div class="row heading"><h2>${t("account")}</h2>
      <span class="badge ${ie(u)}">${t(u?"account_ok":"account_wrong")}</span>
      ${!u&&i`<${b} route="POST /activities/{activity_id}/audit/repair"
          label=${t("repair")} title=${t("repair")} help=${t("repair_help")} kind="danger"
        run=${(p,h)=>g("POST",`/activities/${n.activity_id}/audit/repair`,{key:h})} then=${r} />`}
      <button class="quiet" id="all-points" onClick=${()=>c(new Set(l?[]:s))}>
        ${t(l?"fold_points":"show_points")}</button></div>
    <p class="muted">${t("account_rule")}</p>
    ${e.changes_pending>0&&i`<p class="notice">
      ${t("changes_pending",{changes:y(e.changes_pending)})}${" "}
      ${e.changes_stuck>0&&t("changes_stuck",{changes:y(e.changes_stuck)})}</p>`}
    <div class="table wide" tabindex="0" role="region" aria-label=${t("account")}><table role="table">
      <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${t("sku")}</th>
        <th scope="col" role="columnheader">${t("point")}</th>
        ${He.map(p=>i`
        <th scope="col" role="columnheader" class="number">${t(`units_${p}`)}</th>`)}</tr></thead>
      ${o.map(p=>i`<tbody role="rowgroup" key=${p.sku_id}>
        <${ut} sku=${p.sku_id} values=${p} open=${a.has(p.sku_id)} toggle=${d} />
        ${a.has(p.sku_id)&&p.points.map(h=>i`
          <${ut} key=${h.point_id} point=${h.point_id} values=${h} />`)}</tbody>`)}
    </table></div></section>`}var ut=class extends Ae{shouldComponentUpdate(n){return n.open!==this.props.open||He.some(r=>n.values[r]!==this.props.values[r])}render({sku:n,point:r,values:o,open:s,toggle:a}){return i`<tr class=${n?"sum":""} role="row">
      <td class="name" role="cell">${n&&i`<button class="fold" aria-expanded=${s} onClick=${()=>a(n)}>${n}</button>`}</td>
      <td class="name" role="cell" data-name=${r&&t("point")}>${r}</td>
      ${He.map(c=>{let d=c==="drift"?ie(o.drift===0):"",l=t(`units_${c}`);return i`<td class="number ${d}" role="cell" data-name=${l}>${y(o[c])}</td>`})}</tr>`}};var xs=1e4,$r=["pointerdown","keydown"],mr=Ie("alarm_sound"),X,fr;function pt(){return X??=new AudioContext,X.resume()}function _r(){fr??=pt().then(()=>{fr=void 0,Os()})}function Os(){for(let[e,n]of[[0,880],[.25,660]]){let r=X.createOscillator(),o=X.createGain();r.frequency.value=n,o.gain.value=.2,r.connect(o).connect(X.destination),r.start(X.currentTime+e),r.stop(X.currentTime+e+.2)}}function Ss(e){let[,n]=k(0);return q(()=>{if(!e)return;pt();let r=()=>n(o=>o+1);r(),X.addEventListener("statechange",r);for(let o of $r)addEventListener(o,pt,!0);return()=>{X.removeEventListener("statechange",r);for(let o of $r)removeEventListener(o,pt,!0)}},[e]),!X||X.state==="running"}function hr(){let[e,n]=k(localStorage.getItem(mr)==="on");return[e,o=>{localStorage.setItem(mr,o?"on":"off"),n(o),o&&_r()}]}function jt(e,n){let r=C(0);return{...W(e,async()=>{r.current||=Date.now();try{let s=await n();return r.current=0,s}catch(s){throw s.status<500&&(r.current=0),s}},!0),since:r.current}}function gr({value:e,since:n},{value:r,since:o}){let s=r&&_e([...r.items,...r.totals]),a=[],c=d=>d>0&&Date.now()-d>xs;return(c(n)||c(o))&&a.push(["stale",t("alarm_stale")]),r&&!r.ok&&a.push(["drift",s>0?t("alarm_drift",{drift:y(s)}):t("account_wrong")]),e?.queue.dead>0&&a.push(["dead",t("alarm_dead",{dead:y(e.queue.dead)})]),a}function yr({on:e,change:n}){let r=Ss(e);return i`<label class="option sound"><input type="checkbox" id="sound" checked=${e}
      onChange=${o=>n(o.target.checked)} />${t("alarm_sound")}</label>
    <p class="muted" role="status" id="sound-waits">${e&&!r&&t("alarm_waits")}</p>`}function br({title:e,reasons:n,on:r}){let o=C(new Set),s=n.map(([a])=>a).join();return q(()=>{document.title=`${n.length>0?`(${n.length}!) `:""}${e} · Onrush`},[e,n.length]),q(()=>{r&&n.some(([a])=>!o.current.has(a))&&_r(),o.current=new Set(n.map(([a])=>a))},[s]),i`<div role="alert" class="alarms">${n.map(([a,c])=>i`<p key=${a} class="problem" id="alarm-${a}">${c}</p>`)}</div>`}var Dt=5,kr=({code:e})=>i`${H("refusal",e).replace(e,"")} <code class="muted below">${e}</code>`;function vr({stats:e}){let{value:n,error:r,reload:o}=W(3e3,()=>g("GET",`/refusals?minutes=${Dt}`)),s=Object.entries(e.answers).map(([p,h])=>({call:p.split(":")[0],code:p.split(":")[1],n:h})).sort((p,h)=>h.n-p.n),a=Math.max(1,...s.map(({n:p})=>p)),c=({n:p})=>i`<${Jt} value=${p} of=${a} />`,d=[[t("call"),p=>t(`call_${p.call}`)],[t("code"),p=>i`<${kr} code=${p.code} />`,"lead"],[t("share"),c],[t("count"),p=>y(p.n),"number end"]],l=[[t("code"),p=>i`<${kr} code=${p.code} />`,"lead"],[t("count"),p=>y(p.requests),"number end"]],u=[["rooms","room_id"],["share_sources","share_source"]].filter(([p])=>e[p].length);return i`<div class="columns">
    <section><h2>${t("answers")}</h2>
      <${F} name=${t("answers")} rows=${s} columns=${d} empty=${t("answers_none")}
        keyOf=${p=>`${p.call}:${p.code}`} /></section>
    <section><h2>${t("refusals",{minutes:Dt})}</h2>
      <${T} error=${r} retry=${o} />
      ${n&&i`<${F} name=${t("refusals",{minutes:Dt})} rows=${n.items} columns=${l}
        empty=${t("refusals_none")} keyOf=${p=>p.code} />`}</section>
    ${u.map(([p,h])=>i`<${Ts} name=${p} id=${h} stats=${e} />`)}</div>`}function Ts({name:e,id:n,stats:r}){let o=a=>`#/money/orders?${new URLSearchParams({activity_id:r.activity_id,[n]:a[n]})}`,s=[[t(e),a=>i`<a href=${o(a)}>${a[n]}</a>`,"lead"],[t("orders"),a=>y(a.orders),"number end"]];return i`<section><h2>${t(e)}</h2>
    <${F} name=${t(e)} rows=${r[e]} columns=${s} empty="" keyOf=${a=>a[n]} /></section>`}var wr=150,Ps=300;function At({title:e,times:n,series:r}){let o=C(),s=C(),[a,c]=k(),d=[n.map($=>$/1e3),...r.map($=>$.values)],l=C(d);l.current=d,q(()=>{let $=!1,m=matchMedia("(prefers-color-scheme: dark)"),f=async()=>{let{default:v}=await import("./uplot-2LURMCIS.js");$||(s.current?.destroy(),s.current=new v(qs(o.current.clientWidth,r,c),l.current,o.current))},_=new ResizeObserver(()=>s.current?.setSize({width:o.current.clientWidth,height:wr}));return f(),m.addEventListener("change",f),_.observe(o.current),()=>{$=!0,m.removeEventListener("change",f),_.disconnect(),s.current?.destroy()}},[]),q(()=>{s.current?.setData(l.current)});let u=a??n.length-1,p=({values:$})=>$[u]==null?"–":y($[u]),h=r.every(({values:$})=>$.filter(m=>m!=null).length<2);return i`<figure class="card chart">
    <figcaption><b>${e}</b>${a!==void 0&&i` <span class="muted">${ze(n[a])}</span>`}${r.map($=>i`
      <span class="line ${$.color}">${$.label} <b>${p($)}</b></span>`)}</figcaption>
    ${h&&i`<p class="muted nothing">${t("chart_empty")}</p>`}
    <div ref=${o} aria-hidden="true"></div></figure>`}function qs(e,n,r){let o=getComputedStyle(document.documentElement),s=d=>o.getPropertyValue(`--${d}`).trim(),a={stroke:s("muted"),grid:{stroke:s("line"),width:1},ticks:{show:!1},font:"11px system-ui"},c=new Intl.DateTimeFormat(Me,{hour:"2-digit",minute:"2-digit",hourCycle:"h23"});return{width:e,height:wr,legend:{show:!1},cursor:{y:!1,drag:{x:!1},points:{size:7}},hooks:{setCursor:[({cursor:d})=>r(d.idx??void 0)]},scales:{x:{range:(d,l,u)=>[Math.min(l,u-Ps),u]},y:{range:(d,l,u)=>[Math.min(0,l),Math.max(1,u*1.1)]}},axes:[{...a,values:(d,l)=>l.map(u=>c.format(u*1e3)),space:70,size:30},{...a,size:52,values:(d,l)=>l.map(u=>Number.isInteger(u)?y(u):"")}],series:[{},...n.map(d=>({stroke:s(d.color),width:2,fill:`${s(d.color)}22`,points:{show:!1},spanGaps:!0}))]}}var xr=5e3,Or=720;function Sr(e,n){let r=Date.parse(n.server_time);if(e.length&&r-e.at(-1).at<xr)return e;let o=s=>n.partial&&!s?void 0:s;return[...e,{at:r,orders_per_second:o(n.orders_per_second),remaining:fe(n)??null,unpaid:o(n.unpaid),paid:o(n.paid)}].slice(-Or)}function Tr(e,n){let r=e.map(s=>({...s,at:Date.parse(s.at)}));return[...new Map([...n,...r].map(s=>[Math.floor(s.at/xr),s])).values()].sort((s,a)=>s.at-a.at).slice(-Or)}function Pr({points:e}){let n=e.map(a=>a.at),r=(a,c,d)=>({label:a,color:c,values:d}),o=a=>e.map(c=>c[a]??null),s=(a,c,d)=>i`
    <${At} title=${t(a)} times=${n} series=${[r("",c,d)]} />`;return i`<section class="charts" aria-label=${t("charts")}>
    ${s("orders_per_second","link",o("orders_per_second"))}
    ${s("left","link",o("remaining"))}
    <${At} title=${t("unpaid_paid")} times=${n}
      series=${[r(t("state_unpaid"),"warn",o("unpaid")),r(t("state_paid"),"good",o("paid"))]} />
  </section>`}var Lr=5,Es=100,$t=6e4,qr=6;async function jr(e){if(!E("GET /orders"))return;let n=Ne()-e.pay_within_s*1e3+Lr*$t,r=new URLSearchParams({activity_id:e.activity_id,status:"unpaid",to:new Date(n).toISOString(),page_size:String(Es)}),{items:o,next_cursor:s,partial:a}=await g("GET",`/orders?${r}`);return a?void 0:{units:o.flatMap(d=>d.items).reduce((d,l)=>d+l.quantity,0),more:!!s}}function Cs(e){let n=e.filter(s=>s.paid!==void 0),r=n.at(-1),o=n.find(s=>r.at-s.at<=$t);if(!(!r||r.at-o.at<$t/6))return Math.max(0,Math.round((r.paid-o.paid)*$t/(r.at-o.at)))}var Ls=(e,n)=>new Intl.NumberFormat(Me,{style:"percent",maximumFractionDigits:1}).format(e/n),js=e=>e?t("peak",{orders:y(e.orders),time:ze(e.at)}):"",Er=e=>e===1?t("of_order"):t("of_orders",{orders:typeof e=="number"?y(e):e}),Ds=e=>t("room_length",{admitted:y(e.admitted),time:ve(e.last_waits_s*1e3)});function Dr({sale:e,skus:n,stats:r,audit:o,coming:s,points:a}){let c=x=>r.partial&&x===0?"–":x,d=x=>r.loaded?me(r.stock,x):"–",l=o?me(o.items,"remaining"):fe(r),u=me(o?o.items:r.stock,"total"),p=r.placed+r.unpaid+r.paid+r.refunded+r.cancelled+r.failed,h=r.paid+r.refunded,$=Cs(a),m=s&&(s.more?`${y(s.units)}+`:s.units),f=r.loaded&&n&&sn(e,n,r.stock),_=r.waiting_room,v=[["left",l??"–",t("of_total",{total:y(u)})],["orders_per_second",c(r.orders_per_second),js(r.peak)],["paid_units",d("paid"),Er(c(r.paid))],["held",d("held"),Er(c(r.unpaid+r.placed))],["revenue",f?an(f):"–",t("revenue_note")],["drift",o?_e(o.items):"–","",o?ie(o.ok):""],["dead",c(r.queue.dead),"",r.queue.dead?"bad":""],["coming_back",m??"–",t("coming_back_note",{minutes:Lr})],["paid_rate",p>0&&!r.partial?Ls(h,p):"–",$===void 0?"":t("paid_minute",{n:y($)})],["state_cancelled",c(r.cancelled)],["in_room",_?_.waiting:"–",_?Ds(_):t("room_none_short")],["queued",c(r.queue.length),t("oldest_age",{time:ve(r.queue.oldest_ms)})]];return i`<${Cr} figures=${v.slice(0,qr)} />
    <details class="more-figures"><summary>${t("more_figures")}</summary>
      <${Cr} figures=${v.slice(qr)} /></details>`}function Cr({figures:e}){return i`<dl class="figures six">${e.map(([n,r,o,s=""])=>i`
    <div id="figure-${n}" class=${s}><dt>${t(n)}</dt>
      <dd>${typeof r=="number"?y(r):r} <small>${o}</small></dd></div>`)}</dl>`}function Ar({children:e}){let n=C();return q(()=>{let o=s=>{let{current:a}=n;!a.contains(s.target)&&!a.querySelector("dialog")&&(a.open=!1)};return addEventListener("pointerdown",o),addEventListener("focusin",o),()=>{removeEventListener("pointerdown",o),removeEventListener("focusin",o)}},[]),i`<details class="menu" ref=${n} onKeyDown=${o=>{o.key!=="Escape"||n.current.querySelector("dialog")||(n.current.open=!1,n.current.querySelector("summary").focus())}}>
    <summary class="button quiet">${t("more_actions")}</summary><div>${e}</div></details>`}var It="PATCH /activities/{activity_id}",mt=[.1,.2,.5,1,2,5,10,20,30,50,75,100,150,200,300,500,750,1e3,2e3,5e3,1e4],As=e=>mt.reduce((n,r,o)=>Math.abs(r-e)<Math.abs(mt[n]-e)?o:n,0),Is=(e,n,r)=>({waiting:y(e.waiting),admitted:y(e.admitted),time:ve((r?e.last_waits_s:e.waiting/n)*1e3),rate:y(n)});function Ir({sale:e,line:n,then:r}){let[o,s]=k();if(!["upcoming","running"].includes(ne(e)))return null;let a=e.waiting_room?.paths_per_second??-1,c=a>0,d=o??(c?a:10),l=c&&d===a,u=f=>()=>h(a)({},"",f.version),p=f=>{let _=f.waiting_room?.paths_per_second??-1;return _>0?t("done_room",{rate:y(_)}):t("done_room_ended")},h=f=>(_,v,x)=>g("PATCH",`/activities/${e.activity_id}`,{version:x??e.version,body:{waiting_room:{paths_per_second:f}}}),$=()=>{s(),r()},m=f=>Number(f.target.value)>=.01&&s(Number(f.target.value));return i`<details class="card room" id="room" open=${c}>
    <summary><h2>${t("room")}</h2> <span>${c?t("room_admits",{rate:y(a)}):t("room_none")}
      ${n&&i` <b id="room-line">${t("room_waits",Is(n,d,l))}</b>`}</span></summary>
    ${E(It)&&i`<div class="row">
      <label class="slider"><span>${t("room_rate")}</span>
        <input type="range" min="0" max=${mt.length-1} value=${As(d)}
          aria-valuetext=${t("room_rate_is",{rate:y(d)})} onInput=${f=>s(mt[f.target.value])} />
      </label>
      <label class="unit"><span class="hidden">${t("room_rate")}</span>
        <input type="number" name="rate" min="0.01" step="any" value=${d} onChange=${m} />
        <span class="muted">${t("a_second")}</span></label></div>
    ${l&&i`<p class="muted">${t("room_same")}</p>`}
    <div class="row">
      ${l?i`<button class="quiet" disabled>${t("room_set")}</button>`:i`<${b} route=${It}
            label=${t(c?"room_set":"room_open")} id="room-set" run=${h(d)} then=${$}
            done=${p} undo=${c&&u} />`}
      ${c&&i`<${b} route=${It}
          label=${t("room_end")} title=${t("room_end")} help=${t("room_end_help")} kind="danger"
        id="room-end" run=${h(-1)} then=${$} done=${p} undo=${u} />`}</div>`}</details>`}var Ms=e=>ne(e)==="running"&&!e.paused_at;function Ns({id:e,query:n}){let r=new URLSearchParams(n).get("do"),o=`/activities/${encodeURIComponent(e)}`,[s,a]=hr(),c=W(5e3,()=>g("GET",o)),d=M(()=>B("/skus",{activity_id:e})),l=W(6e4,()=>g("GET",`${o}/history`)),u=W(1e4,async()=>c.value&&jr(c.value)),p=!!c.value;q(()=>{p&&u.reload()},[p]);let h=C([]),$=jt(1e3,async()=>{let O=await g("GET",`${o}/stats`);return Ft(O.server_time),h.current=Sr(h.current,O),O}),m=jt(2e3,()=>g("GET",`${o}/audit`));Bt();let f=c.error??$.error??m.error;if(!c.value)return f?i`<${T} error=${f} retry=${c.reload} />`:i`<${D} />`;let _=()=>{c.reload(),m.reload(),$.reload()},v=Tr(l.value?.items??[],h.current),x=`#/money/orders?${new URLSearchParams({activity_id:e})}`;return i`<div class="row heading"><h1>${c.value.title}</h1><${Xe} sale=${c.value} />
      <span class="muted" role="timer">${fn(c.value)}</span>
      <span class="row actions"><${vn} sale=${c.value} then=${_} opens=${r==="pause"} />
        <${kn} sale=${c.value} then=${_} /><${bn} sale=${c.value} then=${_} />
        <${Ar}>${E("GET /orders")&&i`<a id="orders" href=${x}>${t("orders")}</a>`}
          ${E("GET /changes")&&i`<a href="#/changes?${new URLSearchParams({on:`activity:${e}`})}">${t("menu_changes")}</a>`}
          ${E("PUT /activities/{activity_id}")&&i`<a href="#/edit/${e}">${t("edit")}</a>`}
          <${ot} sale=${c.value} kind="link" /><${st} sale=${c.value} then=${_} /><//></span></div>
    <div class="row toolbar"><${yr} on=${s} change=${a} /></div>
    ${c.value.paused_at&&i`<p class="notice warn" id="paused" role="status">
      ${t("sale_paused",{time:L(c.value.paused_at)})}</p>`}
    <${T} error=${f} retry=${_} />
    <${br} title=${c.value.title} reasons=${gr($,m)} on=${s} />
    ${$.value?.partial&&i`<p class="notice">${t("partial")}</p>`}
    ${$.value&&i`<${Dr} sale=${c.value} skus=${d.value} stats=${$.value} audit=${m.value}
        coming=${u.value} points=${v} />`}
    <${Ir} sale=${c.value} line=${$.value?.waiting_room} then=${_} />
    <${Pr} points=${v} />
    ${m.value&&i`<${pr} audit=${m.value} sale=${c.value} again=${_} />`}
    ${$.value&&i`<${vr} stats=${$.value} />`}
    ${Ut.dev_tokens&&Ms(c.value)&&i`<${ur} activity=${e} />`}`}function Us({id:e,query:n}){let r=`/orders/${encodeURIComponent(e)}`,{value:o,error:s,reload:a}=W(5e3,async()=>{let[l,u]=await Promise.all([g("GET",r),E("GET /refunds")?g("GET",`/refunds?order_number=${encodeURIComponent(e)}&page_size=50`):{items:[]}]),p=Bs(l,u.items),h=!p||p.channel==="outside",$=l.items.map(m=>({...m,left:m.quantity-Rs(m,u.items)}));return{order:{...l,items:$,byPayment:!!p,outside:h},refunds:u.items}});if(!o)return s?i`<${T} error=${s} retry=${a} />`:i`<${D} />`;let{order:c,refunds:d}=o;return i`<div class="row heading">
      <h1>${t("order_title",{number:c.order_number})}</h1><${R} state=${c.status} />
      <${Zs} order=${c} reload=${a} opens=${n==="do=refund"} />
      <${zs} order=${c} path=${r} reload=${a} />
      <${Gs} order=${c} path=${r} reload=${a} /></div>
    <div class="columns"><${Js} order=${c} reload=${a} /><${Ks} order=${c} /></div>
    <h2>${t("payments")}</h2>
    <${F} name=${t("payments")} rows=${c.payments??[]} columns=${Hs()}
      empty=${t("order_payments_none")} keyOf=${l=>l.pay_number} />
    ${E("GET /refunds")&&i`<h2>${t("refunds")}</h2>
    <${F} name=${t("refunds")} rows=${d} columns=${on(a)} empty=${t("order_refunds_none")}
      keyOf=${l=>l.refund_number} />`}
    <h2>${t("log")}</h2>
    <${F} name=${t("log")} rows=${c.log} columns=${Qs()} empty=""
      keyOf=${l=>`${l.at}${l.what}`} />
    <${Ys} path=${r} notes=${c.notes??[]} reload=${a} />`}function Rs(e,n){let r=n.filter(({reason:o})=>o==="operator").flatMap(o=>o.items??[]);return me(r.filter(({sku_id:o})=>o===e.sku_id),"quantity")}function Fs({status:e,events:n}){return e==="unpaid"?["cancel","mark_paid"]:e==="refunded"&&!n.some(({what:r})=>r==="restocked")?["restock"]:[]}function Gs({order:e,path:n,reload:r}){let o={name:"reason",label:t("why"),required:!0,maxlength:200};return Fs(e).map(s=>i`<${b} key=${s} route=${`POST /orders/{order_number}/${s}`} label=${t(`order_${s}`)}
      title=${t(`order_${s}`)} help=${t(`order_${s}_help`)} fields=${[o]}
      kind=${s==="cancel"?"danger":"quiet"}
      run=${(a,c)=>g("POST",`${n}/${s}`,{key:c,body:a})} then=${r} />`)}function Bs(e,n){let r=o=>n.some(s=>s.pay_number===o.pay_number&&!["operator","refunded_outside"].includes(s.reason));return(e.payments??[]).find(o=>["paid","refunding","refunded"].includes(o.status)&&!r(o))}function zs({order:e,path:n,reload:r}){if(e.status!=="paid"||!e.outside)return null;let o="order_mark_refunded",s=[{...Rr(e),required:!0},{name:"reference",label:t("refund_reference"),required:!0,maxlength:200},{name:"reason",label:t("why"),required:!0,maxlength:200}],a=({amount:c,reference:d,reason:l},u)=>{let p=J(c,e.currency),h={reference:d,reason:l,...p!==void 0&&{amount:p}};return g("POST",`${n}/mark_refunded`,{key:u,body:h})};return i`<${b} route="POST /orders/{order_number}/mark_refunded" label=${t(o)} title=${t(o)}
    fields=${s} run=${a} then=${r} preview=${c=>Fr(e,c)} />`}function Js({order:e,reload:n}){let r=o=>j(o,e.currency);return i`<section class="card"><h2>${t("what")}</h2>
    <ul class="items">${e.items.map(o=>i`<li>
      <span>${o.title} × ${o.quantity}</span>
      <span class="row">${r(o.price*o.quantity)}
        <${Xs} order=${e} item=${o} reload=${n} /></span>
      ${o.voucher_codes?.map(s=>i`<p class="voucher">
        <a href="#/voucher/${s}"><code>${s}</code></a></p>`)}
      ${o.vouchers_waiting>0&&i`<p class="voucher">${t("vouchers_waiting",{count:y(o.vouchers_waiting)})}</p>`}</li>`)}</ul>
    <dl class="amounts">
      <div><dt>${t("freight")}</dt><dd>${r(e.freight_amount)}</dd></div>
      <div><dt>${t("amount")}</dt><dd>${r(e.total_amount)}</dd></div>
      ${e.refunded_amount>0&&i`
        <div><dt>${t("refunded")}</dt><dd>−${r(e.refunded_amount)}</dd></div>
        <div><dt>${t("amount_left")}</dt><dd>${r(le(e))}</dd></div>`}</dl></section>`}function Ks({order:e}){let n=(r,o)=>i`<a href="#/money/orders?${new URLSearchParams({[r]:o})}">${o}</a>`;return i`<section class="card"><h2>${t("facts")}</h2><dl class="facts">
    ${U("buyer",i`<a href="#/user/${encodeURIComponent(e.user_id)}">${e.user_id}</a>`)}
    ${U("sale",e.activity_id&&i`<${Ws} id=${e.activity_id} />`)}
    ${U("placed",L(e.placed_at))}
    ${U("pay_before",e.status==="unpaid"&&L(e.pay_before))}
    ${U("paid_at",e.paid_at&&L(e.paid_at))}
    ${U("reason",e.cancel_reason&&H("cancel",e.cancel_reason))}
    ${U("delivery",t(`delivery_${e.delivery}`))}
    ${U("address",e.address&&zt(e.address))}
    ${U("phone",e.address?.phone)}
    ${U("pickup_point",e.pickup_point_id)}
    ${U("shop",e.shop_id)}
    ${U("point",e.point_id)}
    ${U("client_reference",e.client_reference)}
    ${U("notify_token",e.notify_token)}
    ${rn.map(r=>U(r,e[r]&&n(r,e[r])))}
    ${U("remark",e.remark)}
    ${Object.entries(e.fields??{}).map(([r,o])=>Mr(r,o))}</dl></section>`}function Ws({id:e}){let{value:n}=M(async()=>E("GET /activities/{activity_id}")&&g("GET",`/activities/${e}`));return i`<a href="#/live/${e}">${n&&n.title||e}</a>`}var U=(e,n)=>n&&Mr(t(e),n),Mr=(e,n)=>i`<div><dt>${e}</dt><dd>${n}</dd></div>`,Hs=()=>[[t("payment"),e=>i`<a href="#/payment/${e.pay_number}">${e.pay_number}</a>`,"lead"],[N(t("made")),e=>i`<${A} at=${e.created_at} />`],[t("channel"),e=>e.channel],[t("amount"),e=>j(e.amount,e.currency),"number"],[t("state"),e=>i`<${R} state=${e.status} />`,"end"]],Vs=(e="")=>{let[n,r]=e.split(/:(.*)/);return r===void 0?H("who",e):`${H("who",n)} ${r}`},Qs=()=>[[N(t("at")),e=>i`<${A} at=${e.at} />`,"end"],[t("what"),e=>H("log",e.what),"lead"],[t("by"),e=>Vs(e.who)],[t("from_address"),e=>e.from??""]];function Ys({path:e,notes:n,reload:r}){return i`<div class="row heading"><h2>${t("notes")}</h2>
      <${b} route="POST /orders/{order_number}/notes"
        label=${t("write_note")} title=${t("write_note")} help=${t("notes_help")}
        fields=${[{name:"text",label:t("note"),type:"textarea",required:!0,maxlength:1e3}]}
        run=${(o,s)=>g("POST",`${e}/notes`,{key:s,body:o})} then=${r} /></div>
    ${n.length===0&&i`<p class="empty">${t("notes_none")}</p>`}
    <ul class="list">${n.map(o=>i`<li class="card"><b>${o.actor}</b>
      <span class="muted"> ${L(o.at)}</span><p>${o.text}</p></li>`)}</ul>`}function Nr(e){return e.voucher_codes?.length>0?e.voucher_codes.map(n=>({name:`voucher_${n}`,label:`${e.title}: ${t("refund_voucher",{code:n})}`,type:"checkbox"})):[{name:`units_${e.sku_id}`,label:t("refund_units",{title:e.title,quantity:e.left}),type:"number",step:1,min:0,max:e.left,initial:0,steps:!0}]}function ft(e,n){let r=(e.voucher_codes??[]).filter(o=>n[`voucher_${o}`]);return{sku_id:e.sku_id,quantity:r.length||Number(n[`units_${e.sku_id}`]??0),...r.length>0&&{voucher_codes:r}}}var le=e=>e.total_amount-(e.refunded_amount??0);function Ur(e,{reason:n,force:r},o,s,a){return g("POST",`/orders/${e.order_number}/refund`,{key:a,body:{reason:n,force:r==="true",...o.length>0&&{items:o},...s!==void 0&&{amount:s}}})}var Rr=e=>({name:"amount",label:t("amount"),type:"number",min:0,max:Z(le(e),e.currency),help:t("refund_help",{amount:j(le(e),e.currency)}),presets:[[t("refund_all"),()=>Z(le(e),e.currency)]]});function Fr(e,n){let r=e.items.reduce((o,s)=>o+s.price*ft(s,n).quantity,0);try{let o=Math.min(J(n.amount,e.currency)??r,le(e));return t(o>0?"refund_preview":"refund_none_yet",{amount:j(o,e.currency)})}catch(o){return o.message}}function Zs({order:e,reload:n,opens:r}){if(e.status!=="paid"||!e.byPayment)return null;let o=[...e.items.flatMap(Nr),Rr(e),{name:"reason",label:t("reason"),maxlength:200},{name:"force",label:t("refund_force"),type:"checkbox"}],s=(a,c)=>{let d=e.items.map(p=>ft(p,a)).filter(p=>p.quantity>0),l=J(a.amount,e.currency);if(d.length===0&&l===void 0)throw new Error(t("refund_nothing"));let u=d.length===0&&l===le(e);return Ur(e,a,d,u?void 0:l,c)};return i`<${b} route="POST /orders/{order_number}/refund"
    label=${t("refund_order")} title=${t("refund_order")} id="refund" kind="danger" opens=${r}
    fields=${o} run=${s} then=${n} preview=${a=>Fr(e,a)} />`}function Xs({order:e,item:n,reload:r}){let o=e.items.length+n.quantity===2;if(e.status!=="paid"||o||n.left<1||!e.byPayment)return null;let[s,...a]=Nr(n),d=[n.voucher_codes?.length>0?s:{...s,min:1,initial:1,required:!0},...a,{name:"reason",label:t("reason"),maxlength:200}],l=(p,h)=>{let $=ft(n,p);if($.quantity===0)throw new Error(t("refund_nothing"));return Ur(e,p,[$],void 0,h)},u=p=>t("refund_preview",{amount:j(Math.min(n.price*ft(n,p).quantity,le(e)),e.currency)});return i`<${b} route="POST /orders/{order_number}/refund"
    label=${t("refund_line")} title=${t("refund_line_title",{title:n.title})}
    id="refund-${n.sku_id}" fields=${d} run=${l} then=${r} preview=${u} />`}var Mt=e=>`/points/${encodeURIComponent(e)}`,ei=e=>e.split(/[,，、;；\n]/).map(n=>n.trim()).filter(Boolean),ti=(e,n)=>n?Z(e,n):e,Gr=(e,n)=>[...e?[]:[{name:"point_id",label:t("point_id"),required:!0,...te}],{name:"name",label:t("name"),required:!0,maxlength:200,initial:e?.name},{name:"regions",label:t("regions"),help:t("regions_help"),type:"textarea",initial:e?.regions.join(", ")},{name:"freight_extra",label:t("freight_extra"),help:n??t("minor_units"),type:"number",min:0,initial:ti(e?.freight_extra??0,n)},{name:"pickup",label:t("pickup"),type:"checkbox",initial:e?.pickup},{name:"address",label:t("point_address"),help:t("point_address_help"),type:"textarea",maxlength:200,initial:e?.address},{name:"hours",label:t("point_hours"),maxlength:200,help:t("point_hours_help"),initial:e?.hours}],Br=(e,n)=>(r,o,s)=>Je(e,Mt(e?.point_id??r.point_id),{body:{name:r.name,regions:ei(r.regions),pickup:r.pickup==="true",address:r.address,hours:r.hours,freight_extra:(n?J(r.freight_extra,n):Number(r.freight_extra))??0}},s);function ni(e){let n=new Set(e.map(r=>r.currency));return n.size===1?[...n][0]:void 0}function ri({claims:e}){return i`<${T} error=${e.error} retry=${e.reload} />
    ${(e.value?.items??[]).map(({region:n,point_ids:r})=>i`<p class="notice" key=${n}>
      ${t("region_shared",{region:n,points:r.join(", "),wins:r[0]})}</p>`)}
    ${e.value?.next_cursor&&i`<p class="notice">…</p>`}`}function oi({query:e}){let{value:n,error:r,reload:o}=M(()=>B("/skus"));if(!n)return r?i`<${T} error=${r} retry=${o} />`:i`<${D} />`;let s=new URLSearchParams(e).get("point_id"),a=ni(n);return s?i`<${si} id=${s} currency=${a} />`:i`<${ii} currency=${a} />`}var si=({id:e,currency:n})=>i`<${zr} points=${We(Mt(e))} currency=${n}>
  <p><a href="#/points">${t("all_points")}</a></p><//>`,ii=({currency:e})=>i`<${zr} points=${G("/points")} currency=${e} />`;function zr({points:e,currency:n,children:r}){let o=M(()=>g("GET","/regions?shared=true&page_size=20")),s={...e,reload:()=>{e.reload(),o.reload()}},a=[[t("point"),c=>i`<b>${c.name}</b><p class="muted"><code>${c.point_id}</code></p>`,"lead wide"],[t("regions"),c=>c.regions.length?c.regions.join(", "):t("regions_rest"),"wide"],[t("freight_extra"),c=>n?j(c.freight_extra,n):c.freight_extra,"number named"],[t("pickup"),c=>i`${c.pickup?t("yes"):t("no")}
        ${[c.address,c.hours].filter(Boolean).map(d=>i`<p class="muted">${d}</p>`)}`,"wide named"],["",c=>i`<div class="row actions">
      <${b} route="PUT /points/{point_id}"
        label=${t("edit")} title=${t("edit")} fields=${Gr(c,n)} run=${Br(c,n)}
        then=${s.reload} />
      ${c.point_id!=="0"&&i`<${b} route="DELETE /points/{point_id}" label=${t("delete")} kind="danger"
        title=${t("delete_title",{name:c.name})} help=${t("delete_point_help")} then=${s.reload}
        run=${(d,l,u=c.version)=>g("DELETE",Mt(c.point_id),{version:u})} />`}</div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_points")}</h1>
      <${b} route="PUT /points/{point_id}"
        label=${t("new_point")} title=${t("new_point")} kind="go" fields=${Gr(void 0,n)}
        run=${Br(void 0,n)} then=${s.reload} /></div>
    ${r}<p class="muted">${t("points_help")}</p><${ri} claims=${o} />
    <${z} list=${s} name=${t("menu_points")} columns=${a} empty=${t("points_none")}
      keyOf=${c=>c.point_id} />`}function ai(){let{value:e,error:n,reload:r}=W(2e3,()=>g("GET","/queue"));if(!e)return n?i`<${T} error=${n} retry=${r} />`:i`<${D} />`;let o=[[t("lane"),a=>t("lane_number",{n:a.lane}),"lead"],[t("queued"),a=>y(a.length),"number named"],[t("oldest"),a=>a.length?Ke(a.oldest_ms):"–","number named"],[t("dead"),a=>i`<span class=${a.dead?"bad":""}>${y(a.dead)}</span>`,"number named"],[t("oldest_dead"),a=>a.dead?Ke(a.oldest_dead_ms):"–","number named"],[t("note"),a=>a.newer_records?t("newer_records"):"","wide"]],s=e.items.filter(a=>a.length||a.dead||a.newer_records);return i`<h1>${t("menu_queue")}</h1><p class="muted">${t("queue_help")}</p>
    <${F} name=${t("menu_queue")} columns=${o} rows=${s} keyOf=${a=>a.lane}
      empty=${t("queue_none",{lanes:e.items.length})} />
    ${E("GET /queue/dead")&&i`<${ci} reload=${r} />`}`}function ci({reload:e}){let[n,r]=k({reason:""}),o=G("/queue/dead",n),s=()=>{o.reload(),e()},a=[...new Set(o.items.map(c=>c.reason))];return i`<h2>${t("dead_title")}</h2>
    <div class="row">
      <${ee} fields=${[{name:"reason",label:t("reason"),maxlength:64}]} values=${n}
        change=${r} />
      ${a.map(c=>i`<${di} key=${c} reason=${c} then=${s} />`)}</div>
    <${z} list=${o} name=${t("dead_title")} columns=${li(s)} empty=${t("dead_none")}
      keyOf=${c=>c.dead_id} />`}function di({reason:e,then:n}){let r=t("replay_reason",{reason:H("dead",e)});return i`<${b} route="POST /queue/dead:replay" label=${r} title=${r} help=${t("replay_help")}
    run=${(o,s)=>g("POST","/queue/dead:replay",{key:s,body:{reason:e}})} then=${n} />`}function li(e){return[[t("order"),n=>n.order_number??n.dead_id,"lead"],[t("buyer"),n=>n.user_id??"–","cut"],[t("reason"),n=>i`<b>${H("dead",n.reason)}</b><p class="muted">${n.detail}</p>`,"wide"],[t("age"),n=>n.at?Ke(en(n.at)):"–","number end"],["",n=>i`<div class="row actions">
      <${b} route="POST /queue/dead/{dead_id}/replay" label=${t("replay")} id="replay-${n.dead_id}"
        run=${(r,o)=>g("POST",`/queue/dead/${n.dead_id}/replay`,{key:o})} then=${e} />
      <${b} route="POST /queue/dead/{dead_id}/discard" label=${t("discard")} title=${t("discard_title")}
        help=${t("discard_help")} kind="danger"
        run=${(r,o)=>g("POST",`/queue/dead/${n.dead_id}/discard`,{key:o})} then=${e} /></div>`,"tools"]]}var Nt="PATCH /settings",ui=["limits","limit_user","limit_address","limit_network","limit_strangers","limit_instance","limit_routes"],pi=["limit_routes","image_hosts"],$i=["full","no_streams","no_lists","only_placing"],Jr={degrade:()=>$i.map(e=>[e,t(`degrade_${e}`)]),limits:()=>["on","dry_run","off"].map(e=>[e,t(`limits_${e}`)]),log:()=>["debug","info","warn","error"].map(e=>[e,e])};function Kr(e,n){return e==="degrade"||e==="limits"?t(`${e}_${n}`):Array.isArray(n)?n.join(", ")||"none":n}function mi(e,n=""){return pi.includes(e)&&n?n.split(/\s*,\s*/):n.trim()||null}function fi({query:e}){let{value:n,error:r}=pn(),o=wt;if(q(()=>{wt()},[]),!n)return r?i`<${T} error=${r} retry=${o} />`:i`<${D} />`;let{set:s,in_force:a}=n,c=l=>i`<${b} route=${Nt} label=${t("change_setting")} id="set-${l}"
    title=${t(`setting_${l}`)} help=${t(`setting_${l}_help`)} then=${o}
    done=${t("done_setting",{setting:t(`setting_${l}`)})} undo=${Ze({[l]:s[l]??null})}
    fields=${[Jr[l]?{name:"value",of:l,label:t("value"),options:Jr[l](),initial:a[l]}:{name:"value",of:l,label:t("value"),help:t("setting_empty"),initial:Kr(l,s[l]??"")}]}
    run=${({value:u},p,h)=>Ye({[l]:mi(l,u)})({},p,h)} />`,d=[[t("setting"),l=>i`<b>${t(`setting_${l}`)}</b>
      <p class="muted">${t(`setting_${l}_help`)}</p>`,"lead wide"],[t("value"),l=>i`${Kr(l,a[l])}
      <p class="muted">${t(s[l]===void 0?"setting_environment":"setting_operators")}</p>`],["",l=>i`<div class="row actions">${c(l)}
      ${s[l]!==void 0&&i`<${b} route=${Nt} label=${t("unset")} id="unset-${l}" run=${Ye({[l]:null})}
          then=${o} done=${t("done_setting",{setting:t(`setting_${l}`)})}
          undo=${Ze({[l]:s[l]})} />`}</div>`,"tools"]];return i`<h1>${t("menu_settings")}</h1><p class="muted">${t("settings_help")}</p>
    <section class="card" id="all-sales"><h2>${t("all_sales")}</h2>
      <p><${R} state=${a.sales_stopped?"stopped":"ok"} />
        ${t(a.sales_stopped?"sales_are_stopped":"sales_go_on")}</p>
      <div class="row">${a.sales_stopped?i`<${$n} id="go-on" kind="go" />`:i`<${b} route=${Nt} label=${t("stop_sales")} kind="danger" id="stop-sales"
            opens=${e==="do=stop"}
            title=${t("stop_sales_title")} help=${t("stop_sales_help")} run=${Ye({sales_stopped:!0})}
            then=${o} done=${t("done_stopped")} undo=${Ze({sales_stopped:null})} />`}</div></section>
    ${n.pending&&i`<p class="note">${t("settings_pending")}</p>`}
    ${a.limits!=="on"&&i`<p class="note">${t(`limits_are_${a.limits}`)}</p>`}
    <${T} error=${r} />
    <${F} name=${t("menu_settings")} columns=${d} rows=${["degrade",...ui,"image_hosts","log"]}
      keyOf=${l=>l} />`}function _i({id:e}){let n=`/users/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=M(()=>g("GET",`${n}/trail`),[e]),a=new URLSearchParams({user_id:e});return i`<div class="row heading"><h1>${t("user_title",{user:e})}</h1>
      <a class="button quiet" href="#/money/orders?${a}">${t("orders_all")}</a>
      <${b} route="GET /users/{user_id}/export" label=${t("user_export")} done=${null}
        run=${()=>nn(`${n}/export`,"user.json")} />
      <${bi} path=${n} user=${e} then=${s} /></div>
    <${T} error=${o} retry=${s} />
    ${r?i`<${hi} trail=${r} />`:!o&&i`<${D} />`}`}function hi({trail:e}){return i`${e.partial&&i`<p class="notice">${t("trail_partial")}</p>`}
    <h2>${t("trail_refusals")}</h2>
    <p class="muted">${t("trail_help")}</p>
    <${F} name=${t("trail_refusals")} rows=${e.refusals} columns=${gi()}
      empty=${t("trail_refusals_none")}
      keyOf=${n=>`${n.instance}${n.first_request_id}${n.first_at}`} />
    <h2>${t("trail_orders")}</h2>
    <${F} name=${t("trail_orders")} rows=${e.orders} columns=${yi()} empty=${t("trail_orders_none")}
      keyOf=${n=>n.order_number} />`}var gi=()=>[[N(t("trail_last")),e=>i`<${A} at=${e.last_at} />`,"lead"],[t("trail_answer"),e=>e.detail||e.code,"wide"],[t("code"),e=>i`<code>${e.code}</code>`],[t("trail_request"),e=>i`<code>${e.method} ${e.path}</code>`,"cut"],[t("trail_count"),e=>y(e.count),"number named"],[t("trail_request_id"),e=>i`<code>${e.last_request_id}</code>`,"cut named"],[t("trail_key"),e=>e.idempotency_key&&i`<code>${e.idempotency_key}</code>`,"cut named"]],yi=()=>[[t("order"),e=>i`<a href="#/order/${e.order_number}">${e.order_number}</a>`,"lead"],[N(t("placed")),e=>i`<${A} at=${e.placed_at} />`],[t("what"),e=>e.items.map(n=>`${n.title} × ${n.quantity}`).join(", "),"cut"],[t("amount"),e=>j(e.total_amount,e.currency),"number"],[t("state"),e=>i`<${R} state=${e.status} />`,"end"]];function bi({path:e,user:n,then:r}){let o=[{name:"confirm",label:t("type_to_confirm",{what:n}),required:!0,maxlength:64}];return i`<${b} route="POST /users/{user_id}/erase" label=${t("user_erase")} kind="danger"
    title=${t("user_erase_title",{user:n})} help=${t("user_erase_help")} fields=${o}
    run=${(s,a)=>g("POST",`${e}/erase`,{key:a,body:s})} then=${r} />`}function ki({id:e}){let n=`/vouchers/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=M(()=>g("GET",n));return r?i`<div class="row heading"><h1>${t("voucher_title",{code:e})}</h1><${R} state=${r.status} />
      ${r.status==="active"&&i`<${b} route="POST /vouchers/{code}/redeem" label=${t("redeem")} kind="go" title=${t("redeem")}
        fields=${[{name:"where",label:t("where"),required:!0,maxlength:100}]}
        run=${(a,c)=>g("POST",`${n}/redeem`,{key:c,body:a})} then=${s} />`}</div>
    <section class="card"><dl class="facts">
      <div><dt>${t("what")}</dt><dd>${r.title}</dd></div>
      <div><dt>${t("order")}</dt><dd><a href="#/order/${r.order_number}">${r.order_number}</a></dd></div>
      <div><dt>${t("buyer")}</dt><dd>${r.user_id}</dd></div>
      ${r.redeemed_at&&i`<div><dt>${t("redeemed")}</dt>
        <dd>${L(r.redeemed_at)}, ${r.redeemed_where}, ${r.redeemed_by}</dd></div>`}</dl></section>`:o?i`<${T} error=${o} retry=${s} />`:i`<${D} />`}var vi=6,wi=150,xi={order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?refund_number=${encodeURIComponent(e)}`,user:e=>`#/user/${encodeURIComponent(e)}`,refusal:(e,n)=>`#/user/${encodeURIComponent(n)}`,voucher:e=>`#/voucher/${encodeURIComponent(e)}`},De=(e,n,r=n)=>({kind:"action",id:r,title:e,href:n});function Oi(e){let n=e.filter(r=>["running","upcoming"].includes(ne(r))&&!r.paused_at);return[E("PATCH /settings")&&De(t("stop_sales"),"#/settings?do=stop"),E("GET /orders")&&De(t("refund_an_order"),"#/money/orders?status=paid"),E("PUT /activities/{activity_id}")&&De(t("new_sale"),"#/edit"),...(E("POST /activities/{activity_id}/pause")?n:[]).map(r=>De(`${t("pause_sale")}: ${r.title}`,`#/live/${r.activity_id}?do=pause`))].filter(Boolean)}var Si=e=>e.filter(({kind:n})=>n==="order"&&E("POST /orders/{order_number}/refund")).map(({id:n})=>De(`${t("refund_order")}: ${n}`,`#/order/${n}?do=refund`));async function Ti(){let[e,n,r]=await Promise.all([B("/activities"),B("/skus"),B("/points")]),o=(s,a,c,d,l)=>({kind:s,id:a,title:c,href:d,state:l});return[...e.map(s=>o("sale",s.activity_id,s.title,_n(s),mn(s))),...n.map(s=>o("sku",s.sku_id,s.title,`#/goods?${new URLSearchParams({sku_id:s.sku_id})}`)),...r.map(s=>o("point",s.point_id,s.name,`#/points?${new URLSearchParams({point_id:s.point_id})}`)),...Oi(e)]}function Pi(e,n){let r=n.toLowerCase().split(/\s+/).filter(Boolean);if(r.length===0)return[];let o={};return e.filter(({kind:s,id:a,title:c})=>{let d=(s==="action"?c:`${c} ${a}`).toLowerCase();return r.every(l=>d.includes(l))?(o[s]=(o[s]??0)+1,o[s]<=vi):!1})}function qi(e){let[n,r]=k({of:"",hits:[]});return q(()=>{if(!e)return;let o=!0,s=setTimeout(async()=>{try{let{items:a}=await g("GET",`/search?q=${encodeURIComponent(e)}`),c=a.map(({kind:d,id:l,user_id:u})=>({kind:d,id:l,title:u??l,href:xi[d](l,u)}));o&&r({of:e,hits:[...c,...Si(a)]})}catch(a){o&&r({of:e,hits:[],error:a})}},wi);return()=>{o=!1,clearTimeout(s)}},[e]),n.of===e?n:{hits:[],waits:!!e}}var _t=e=>`${e.kind} ${e.id}`;function Ei(e){let[,n]=k(""),r=C(""),o=Math.max(0,e.findIndex(a=>_t(a)===r.current));return r.current=e[o]?_t(e[o]):"",{at:o,mark:a=>{r.current=a?_t(a):"",n(r.current)}}}function Ci({close:e}){let[n,r]=k(""),[o,s]=k(!1),a=M(Ti),c=qi(n.trim()),d=[...c.hits,...Pi(a.value??[],n)],{at:l,mark:u}=Ei(d),p=c.waits||!!n.trim()&&!a.value&&!a.error,h=f=>{e(),Ue(f.href)};q(()=>{!o||p||(s(!1),d.length>0&&h(d[0]))},[o,p]);let $=f=>{let _={ArrowDown:1,ArrowUp:-1}[f.key];_&&d.length>0?(f.preventDefault(),u(d[(l+_+d.length)%d.length])):f.key==="Enter"&&(f.preventDefault(),d[l]?h(d[l]):s(p))},m=f=>{r(f.target.value),u(),s(!1)};return i`<${K} title=${t("search_short")} close=${e}><div class="finder">
    <input id="search" type="text" enterkeyhint="go" maxlength="128" autocomplete="off" autofocus role="combobox"
      aria-expanded="true" aria-controls="hits" aria-autocomplete="list" aria-label=${t("search")}
      aria-activedescendant=${d[l]&&`hit-${l}`} value=${n} onInput=${m} onKeyDown=${$} />
    <${T} error=${c.error??a.error} />
    <ul id="hits" role="listbox" aria-label=${t("search_hits")}>${d.map((f,_)=>i`<li id="hit-${_}" key=${_t(f)} role="option" aria-selected=${_===l}
        onClick=${()=>h(f)} onMouseMove=${()=>u(f)}>
        <span class="muted kind">${t(`hit_${f.kind}`)}</span><b>${f.title}</b>
        ${f.title!==f.id&&f.kind!=="action"&&i`<code class="muted">${f.id}</code>`}
        ${f.state&&i`<${R} state=${f.state} />`}</li>`)}</ul>
    <p class="muted" role="status">${Li(n.trim(),p,d)}</p></div>
    <button type="button" class="quiet" onClick=${e}>${t("close")}</button><//>`}function Li(e,n,r){return e?n?`${t("loading")} …`:r.length===0?t("search_none"):"":t("search_help")}export{Xr as Blocked,oo as Changes,io as Deliveries,Fo as Edit,Qr as Endpoints,ls as Goods,Yr as Jobs,_s as Keys,Ns as Live,Hr as Money,Us as Order,Vr as Payment,oi as Points,ai as Queue,Zr as Sales,Ci as SearchDialog,fi as Settings,_i as User,ki as Voucher};

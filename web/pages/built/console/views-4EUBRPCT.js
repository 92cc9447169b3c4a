import{$ as M,$a as Zt,Aa as mt,Ba as Je,Ca as We,Da as me,E as f,Ea as Gt,F as U,Fa as ke,G as F,Ga as ne,H as jt,Ha as zt,I as dt,Ia as Jt,Ja as Cr,K as Ne,Ka as Wt,L as Ae,La as Kt,M as L,Ma as Ht,N as O,O as Re,Oa as Er,P as Dt,Pa as Ke,Qa as Vt,R as Fe,Sa as Lr,T as Ut,U as ut,V as N,W as B,Wa as Qt,Ya as Yt,Z as I,Za as jr,_ as It,_a as H,a as De,aa as j,ab as Xt,ba as pt,bb as Dr,c as g,ca as ve,d as P,da as Mt,e as C,ea as Nt,f as ye,fa as q,g as i,ga as se,h as Pt,ha as W,ia as Be,j as Ct,ja as Ge,k as Ue,ka as b,la as At,m as Ie,ma as A,na as G,o as t,oa as ze,p as oe,pa as K,qa as z,r as E,ra as Rt,s as h,sa as $t,t as be,ta as Ft,u as ge,ua as ee,va as J,w as Me,wa as te,x as Et,y as Lt,ya as Bt}from"./chunk-GASKNGQW.js";function Ur(){let[e,n]=g({kind:""}),r=G("/blocked",e),o=(d,p)=>`/blocked/${encodeURIComponent(`${p}:${d}`)}`,s=[["user",t("block_user")],["address",t("block_address")]],a=[{name:"kind",label:t("kind"),options:s},{name:"subject",label:t("subject"),help:t("subject_help"),required:!0,maxlength:64},{name:"reason",label:t("reason"),required:!0,maxlength:200},{name:"until",label:t("until"),help:t("until_help"),type:"datetime-local"}],c=(d,p)=>r.items.find(m=>m.kind===d&&m.subject===p)?.version,l=({kind:d,subject:p,reason:m,until:y},$,_=c(d,p))=>f("PUT",o(p,d),{body:{reason:m,...y&&{until:new Date(y).toISOString()}},version:_,create:!_}),u=[[t("subject"),d=>i`<code>${d.subject}</code>`,"lead"],[t("kind"),d=>t(`block_${d.kind}`),"end"],[t("reason"),d=>d.reason,"wide"],[M(t("until")),d=>d.until?i`<${j} at=${d.until} />`:t("no_end"),"named"],[M(t("since")),d=>i`<${j} at=${d.updated_at} />`,"named"],["",d=>i`<${b} route="DELETE /blocked/{subject}"
        label=${t("unblock")} title=${t("unblock_title",{subject:d.subject})}
      run=${(p,m,y=d.version)=>f("DELETE",o(d.subject,d.kind),{version:y})}
      then=${r.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_blocked")}</h1>
      <${b} route="PUT /blocked/{subject}"
        label=${t("block")} kind="go" id="block" title=${t("block_title")} help=${t("block_help")}
        fields=${a} run=${l} then=${r.reload} /></div>
    <${ee} fields=${[{name:"kind",label:t("kind"),options:[["",t("all")],...s]}]}
      values=${e} change=${n} />
    <${z} list=${r} name=${t("menu_blocked")} columns=${u} empty=${t("blocked_none")}
      keyOf=${d=>`${d.kind}:${d.subject}`} />`}var Ir=4,Mr={activity:["created","changed","published","paused","resumed","taken_offline","stock_changed","stock_change_refused","stock_change_abandoned","reloaded","repaired","deleted"],sku:["created","changed","stock_changed","deleted"],point:["created","changed","deleted"],order:["refunded","noted","held","paid_outside"],payment:["flag_cleared"],refund:["retried","reported"],voucher:["redeemed"],dead:["replayed","discarded"],blocked:["created","changed","deleted"],endpoint:["registered","changed","secret_changed","resent","deleted"],job:["run","paused","resumed"],key:["created","revoked"]},en={activity:e=>`#/edit/${e}`,sku:e=>`#/goods?${new URLSearchParams({sku_id:e})}`,point:e=>`#/points?${new URLSearchParams({point_id:e})}`,order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?${new URLSearchParams({refund_number:e})}`,voucher:e=>`#/voucher/${e}`,dead:()=>"#/queue",blocked:()=>"#/blocked",endpoint:e=>`#/deliveries/${e}`,job:()=>"#/jobs",key:()=>"#/keys"};function Nr(e,n){return[e,...n.filter(s=>s.on===e.on)].flatMap(({before:s,after:a})=>[a,s]).map(s=>s?.title??s?.name).find(s=>typeof s=="string")}function Ar({change:e,all:n}){let[r,...o]=e.on.split(":"),s=o.join(":"),a=r==="job"?Yt(s):Nr(e,n),c=e.action.endsWith(".deleted")||!en[r],l=i`<b>${a??s}</b>`;return i`<span class="muted">${W("hit",r)}</span>${" "}
    ${c?l:i`<a href=${en[r](s)}>${l}</a>`}
    ${a&&i`<p class="muted"><code>${s}</code></p>`}`}function Rr({query:e}){let[n,r]=Rt("changes",e,{actor:"",on:"",action:""}),o=G("/changes",$t(n)),s=Object.entries(Mr).flatMap(([d,p])=>p.map(m=>`${d}.${m}`)),a=n.action&&!s.includes(n.action)?[n.action]:[],c=[["",t("all")],...[...a,...s].map(d=>[d,pt(d)])],l=[{name:"actor",label:t("operator"),maxlength:64},{name:"action",label:t("action"),options:c},{name:"on",label:t("changed_item"),placeholder:"sku:lamp",maxlength:120},{name:"from",label:t("from_day"),type:"date"},{name:"to",label:t("to_day"),type:"date"}],u=[[M(t("at")),d=>i`<${j} at=${d.at} />`,"end"],[t("operator"),d=>i`<span title=${d.client_ip}>${d.actor}</span>`],[t("action"),d=>i`<b title=${d.action}>${pt(d.action)}</b>`,"lead"],[t("changed_item"),d=>i`<${Ar} change=${d} all=${o.items} />`,"wide"],[t("difference"),d=>i`<${Fr} fields=${d.fields} />`,"wide"]];return i`<h1>${t("menu_changes")}</h1><p class="muted">${t("changes_help")}</p>
    <${ee} fields=${l} values=${n} change=${r} />
    <${z} list=${o} name=${t("menu_changes")} columns=${u} empty=${Ft("changes",$t(n))}
      keyOf=${d=>d.change_id} />`}function Fr({fields:e}){if(e.length===0)return"–";if(e.length<=Ir)return i`<${ve} fields=${e} />`;let n=t("fields_changed",{count:h(e.length)});return i`<details><summary>${n}</summary><${ve} fields=${e} /></details>`}function Br({id:e}){let[n,r]=g({status:""}),o=G(`${Ke(e)}/deliveries`,n),[s,a]=g(""),[c,l]=g(),u=[[t("event"),$=>i`<b>${Vt($.type)}</b><p class="muted"><code>${$.type}</code> ${$.event_id}</p>`,"lead"],[t("state"),$=>i`<${q} state=${$.status} />
      ${$.next_attempt_at&&i`<p class="muted">${t("next_try")} ${I($.next_attempt_at)}</p>`}`,"end"],[t("attempts"),$=>h($.attempts),"number named"],[t("answer"),$=>i`${$.status_code??""} <span class="bad">${$.error}</span>
      <p class="muted">${$.answer}</p>`,"wide"],[t("duration"),$=>`${h($.duration_ms)} ms`,"number"],[M(t("at")),$=>i`<${j} at=${$.at} />`],["",$=>i`<div class="row actions">
      <button type="button" class="quiet" id="show-${$.delivery_id}" onClick=${()=>a($.delivery_id)}>
        ${t("payload")}</button>
      <${b} label=${t("send_again")} then=${o.reload}
      run=${(_,v)=>f("POST",`/deliveries/${$.delivery_id}/resend`,{key:v})} /></div>`,"tools"]],d=$=>$?new Date($).toISOString():void 0,p=[{name:"from",label:t("from_time"),type:"datetime-local",required:!0},{name:"to",label:t("to_time"),type:"datetime-local"}],m=({from:$,to:_},v)=>f("POST",`${Ke(e)}/resend`,{key:v,body:{from:d($),to:d(_)}}),y=["","waiting","delivered","failed"].map($=>[$,t($?`state_${$}`:"all")]);return i`<div class="row heading"><h1>${t("deliveries_title",{name:e})}</h1>
      <${b} label=${t("test_event_send")} id="test" run=${($,_)=>f("POST",`${Ke(e)}/test`,{key:_})}
        then=${l} />
      <${b} label=${t("send_span")} title=${t("send_span")} help=${t("send_span_help")} fields=${p}
        run=${m} then=${o.reload} />
      <a href="#/endpoints">${t("menu_endpoints")}</a></div>
    <${ee} values=${n} change=${r}
      fields=${[{name:"status",label:t("state"),options:y}]} />
    <${z} list=${o} name=${t("deliveries")} columns=${u} empty=${t("deliveries_none")}
      keyOf=${$=>$.delivery_id} />
    ${s&&i`<${zr} id=${s} close=${()=>a("")} />`}
    ${c&&i`<${Jr} result=${c} close=${()=>l()} />`}`}var Gr=e=>{try{return JSON.stringify(JSON.parse(e),null,2)}catch{return e}};function zr({id:e,close:n}){let{value:r,error:o,reload:s}=U(()=>f("GET",`/deliveries/${e}`));return i`<${N} title=${t("payload")} close=${n}><${O} error=${o} retry=${s} />
    ${!r&&!o&&i`<${L} />`}
    ${r&&!r.event&&i`<p class="muted">${t("payload_gone")}</p>`}
    ${r?.event&&i`<pre class="file" tabindex="0">${JSON.stringify(r.event,null,2)}</pre>`}
    ${r&&i`<${tn} of=${r} />`}
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function Jr({result:e,close:n}){return i`<${N} title=${t("test_event")} close=${n}>
    <p class=${se(e.accepted)} id="tested">${t(e.accepted?"test_accepted":"test_refused")}</p>
    <pre class="file" tabindex="0">${Gr(e.body)}</pre><${tn} of=${e} />
    <button type="button" class="go" onClick=${n}>${t("close")}</button><//>`}function tn({of:{status_code:e,answer:n,error:r,duration_ms:o}}){return!e&&!r?null:i`<h3>${t("answer")}</h3><p>${e} <span class="bad">${r}</span>
      <span class="muted">${h(o)} ms</span></p>
    ${n&&i`<pre class="file" tabindex="0">${n}</pre>`}`}var ie=e=>`/activities/${e.activity_id}`,we=e=>["running","upcoming"].includes(H(e));function ae(e){if(!e)return"";let n=new Date(e);return new Date(n.getTime()-n.getTimezoneOffset()*6e4).toISOString().slice(0,19)}function He(e,n){if(!e)return;let r=new Date(e).toISOString();return n&&r===new Date(ae(n)).toISOString()?n:r}function nn({sale:e,then:n}){if(!we(e))return null;let r={name:"ends_at",label:t("ends_at"),type:"datetime-local",required:!0},o=({ends_at:s},a,c=e.version)=>f("PATCH",ie(e),{version:c,body:{ends_at:He(s,e.ends_at)}});return i`<${b} route="PATCH /activities/{activity_id}" label=${t("extend")} title=${t("extend")} id="extend"
    fields=${[{...r,initial:ae(e.ends_at)}]} run=${o} then=${n} />`}function rn(e){let n=[...new Set(e.skus.flatMap(r=>r.stock.map(o=>o.point_id)))];return[{name:"sku_id",label:t("sku"),options:e.skus.map(r=>[r.sku_id,r.sku_id]),initial:e.skus[0].sku_id},{name:"point_id",label:t("point"),options:n.map(r=>[r,r]),initial:n[0]}]}function on({sale:e,then:n}){if(!we(e))return null;let r=[...rn(e),{name:"delta",label:t("units"),type:"number",step:1,required:!0,help:t("delta_help")}],o=(s,a)=>f("POST",`${ie(e)}/stock`,{key:a,body:{...s,delta:Number(s.delta)}});return i`<${b} route="POST /activities/{activity_id}/stock"
    label=${t("change_stock")} title=${t("change_stock")} fields=${r} run=${o}
    then=${n} />`}function sn({sale:e,then:n}){let r=C(e);if(!we(e))return null;let o=[...rn(e),{name:"quantity",label:t("units"),type:"number",step:1,min:0,required:!0,help:t("total_help")}],s=({sku_id:l,point_id:u})=>{let d=r.current.skus.find(p=>p.sku_id===l)?.stock.find(p=>p.point_id===u);return t("total_now",{units:h(d?.quantity??0)})},a=()=>{r.current=e},c=(l,u,d=r.current.version)=>f("PUT",`${ie(e)}/stock`,{version:d,body:{...l,quantity:Number(l.quantity)}});return i`<${b} route="PUT /activities/{activity_id}/stock" label=${t("set_stock")} title=${t("set_stock")}
    help=${t("set_total_help")} id="set-stock" onOpen=${a} fields=${o} preview=${s} run=${c}
    then=${n} />`}function Ve({sale:e,kind:n}){return i`<${b} route="POST /activities/{activity_id}/clone"
    label=${t("clone")} kind=${n} run=${(r,o)=>f("POST",`${ie(e)}/clone`,{key:o,body:{}})}
    then=${r=>Ne(`#/edit/${r.activity_id}`)} />`}function an({sale:e,then:n}){return we(e)?e.paused_at?i`<${b} route="POST /activities/{activity_id}/resume" label=${t("resume_sale")} kind="go" id="resume"
      run=${(r,o)=>f("POST",`${ie(e)}/resume`,{key:o})} then=${n} />`:i`<${b} route="POST /activities/{activity_id}/pause"
    label=${t("pause_sale")} title=${t("pause_sale")} help=${t("pause_sale_help")} id="pause"
    run=${(r,o)=>f("POST",`${ie(e)}/pause`,{key:o})} then=${n} />`:null}function Qe({sale:e,then:n}){return we(e)?i`<${b} route="POST /activities/{activity_id}/offline"
    label=${t("close_sale")} title=${t("close_sale")} help=${t("close_sale_help")} kind="danger"
    id="close" run=${(r,o)=>f("POST",`${ie(e)}/offline`,{key:o})} then=${n} />`:null}var dn=["item","user","ip"],un=["title","description","image_url"],cn=e=>JSON.stringify(e,(n,r)=>typeof r=="number"?String(r):r),xe=(e,n)=>cn(e)===cn(n),Ye=e=>e===void 0||e<0?"":e,Ze=e=>e===""||e===void 0?-1:Number(e),Oe=(e,n)=>n.find(r=>r.sku_id===e)?.currency??"CNY",ft=(e,n)=>e.currency??Oe(e.sku_id,n);function pn(e,n){let r=n.find(o=>o.sku_id===e);return te(r?.price,Oe(e,n))}var ce=(e,n)=>(n.find(r=>r.sku_id===e)?.kind??"physical")==="physical";function Se(e,n,r){if(r==="")return{...e,stock:e.stock.filter(a=>a.point_id!==n)};let o=e.stock.some(a=>a.point_id===n),s={point_id:n,quantity:r};return{...e,stock:o?e.stock.map(a=>a.point_id===n?s:a):[...e.stock,s]}}function Xe(e,n){let r=new Set([...e.skus.flatMap(s=>s.stock.map(a=>a.point_id)),...e.points??[]]);r.size===0&&r.add("0");let o=n.map(s=>s.point_id).filter(s=>r.has(s));return[...o,...[...r].filter(s=>!o.includes(s))]}function _t(e,n){let o=Math.ceil(Date.now()/36e5)*36e5,[s]=e;return{title:"",description:"",image_url:"",shop_id:s?.shop_id??"",starts_at:ae(o),ends_at:ae(o+36e5),pay_within:15,purchase_limit:"",permit_ratio:"",human_check:"none",paths_per_second:"",segments:"",limit_item:"",limit_user:"",limit_ip:"",points:[],skus:s?[Te(s,n)]:[]}}function Te(e,n){let r=n.find(s=>s.point_id==="0")??n[0],o=e.kind==="physical"?r:void 0;return{sku_id:e.sku_id,flash_price:te(e.price,e.currency),currency:e.currency,purchase_limit:"",stock:[{point_id:o?.point_id??"0",quantity:100}]}}function re(e,n){let r={...Object.fromEntries(un.map(o=>[o,e[o]??""])),shop_id:e.shop_id,starts_at:ae(e.starts_at),ends_at:ae(e.ends_at),pay_within:e.pay_within_s/60,purchase_limit:Ye(e.purchase_limit),permit_ratio:Ye(e.permit_ratio),human_check:e.human_check,paths_per_second:Ye(e.waiting_room?.paths_per_second),segments:(e.segments??[]).join(" "),points:[],skus:e.skus.map(o=>({sku_id:o.sku_id,flash_price:te(o.flash_price,ft(o,n)),currency:o.currency,purchase_limit:Ye(o.purchase_limit),stock:o.stock.map(s=>({...s}))}))};for(let o of dn){let s=e.limits?.[o];r[`limit_${o}`]=s&&s.requests>=0?`${s.requests}/${s.seconds}`:""}return r}function Wr(e){return Object.fromEntries(dn.map(n=>{let[r,o]=e[`limit_${n}`].split("/").map(Number);return[n,o?{requests:r,seconds:o}:{requests:-1}]}))}var Kr=e=>e.split(/[\s,，、]+/).filter(Boolean),Hr=(e,n)=>({...Object.fromEntries(un.map(r=>[r,e[r]])),ends_at:He(e.ends_at,n?.ends_at),purchase_limit:Ze(e.purchase_limit),permit_ratio:Ze(e.permit_ratio),human_check:e.human_check,limits:Wr(e),waiting_room:{paths_per_second:Ze(e.paths_per_second)},segments:e.segments===void 0?n?.segments??[]:Kr(e.segments)});function Vr(e,n,r){try{return{sku_id:e.sku_id,flash_price:J(e.flash_price,ft(e,n)),purchase_limit:Ze(e.purchase_limit)}}catch(o){throw Object.assign(o,{fields:{[`price-${r}`]:o.message}})}}function qe(e,n,r){return{...Hr(e,r),...r?.images&&{images:r.images},shop_id:e.shop_id,starts_at:He(e.starts_at,r?.starts_at),pay_within_s:Math.round(Number(e.pay_within)*60),skus:e.skus.map((o,s)=>({...Vr(o,n,s),currency:ft(o,n),stock:o.stock.map(a=>({point_id:a.point_id,quantity:Number(a.quantity)}))}))}}var ln={skus:"sku_id",stock:"point_id"};function Pe(e,n,r){return Object.fromEntries(Object.entries({...r,...n,...r}).map(([o,s])=>ln[o]?[o,Qr(ln[o],e[o]??[],n[o],s)]:[o,xe(n[o],e[o])?s:n[o]]))}function Qr(e,n,r,o){let s=(c,l)=>c.find(u=>u[e]===l[e]);return[...o.filter(c=>s(r,c)||!s(n,c)).map(c=>s(r,c)?Pe(s(n,c)??{},s(r,c),c):c),...r.filter(c=>!s(o,c)&&!xe(c,s(n,c)))]}var Yr={pay_within_s:"pay_within","waiting_room.paths_per_second":"paths_per_second",waiting_room:"paths_per_second"},$n={sku_id:"sku",flash_price:"price",purchase_limit:"limit"},Zr={price:"flash_price",limit:"sku_limit",units:"units",sku:"sku"};function Xr(e,n,r,o){let s=/^limits\.(item|user|ip)/.exec(e);if(s)return`limit_${s[1]}`;if(e.startsWith("segments["))return"segments";let[,a,c]=/^skus\[(\d+)\]\.?(.*)$/.exec(e)??[];if(a===void 0)return Yr[e]??(e in r?e:void 0);let l=n.skus?.[Number(a)],u=r.skus.findIndex(m=>m.sku_id===l?.sku_id);if(u<0)return;if($n[c])return`${$n[c]}-${u}`;let[,d]=/^stock\[(\d+)\]/.exec(c)??[],p=d===void 0?0:o.indexOf(l.stock[Number(d)].point_id);return`units-${u}-${Math.max(0,p)}`}var eo=/^must be a path on this host, such as \S+?(?:, or a URL of (.+))?: the shop shows pictures of no/;function to(e){let[n,r]=eo.exec(e)??[];if(n)return t(r?"wrong_picture_hosts":"wrong_picture_host",{hosts:r});let o=`wrong_${e.toLowerCase().replace(/[^a-z0-9]+/g,"_")}`;return oe(o)?t(o):e}function mn(e,n,r,o){let s={fields:{},rest:[]};for(let{field:a,detail:c}of e?.problem?.errors??[]){let l=Xr(a,n??{},r,o);l&&!s.fields[l]?s.fields[l]=to(c):l||s.rest.push({field:a,detail:c})}for(let[a,c]of Object.entries(e?.fields??{}))s.fields[a]=c;return s}function no(e,n){let[,r,o]=/^(sku|price|limit|units)-(\d+)/.exec(e)??[];return r?`${n.skus[Number(o)]?.sku_id}: ${t(Zr[r])}`:t(e)}function fn({error:e,wrong:n,form:r,mine:o,theirs:s,apart:a}){let c=Object.keys(n.fields);if(c.length===0)return i`<${Nt} ...${{error:e,mine:o,theirs:s,apart:a}} />`;let l=u=>()=>document.querySelector(`.edit [name="${u}"]`)?.focus();return i`<div class="problem" role="alert" id="wrong"><p>${t("edit_wrong")}</p>
    <div class="row">${c.map(u=>i`<button type="button" class="quiet" onClick=${l(u)}>${no(u,r)}</button>`)}</div>
    ${n.rest.map(u=>i`<p class="muted"><code>${u.field}</code> ${u.detail}</p>`)}</div>`}async function fe(e){try{return await navigator.clipboard.writeText(e),!0}catch{return!1}}var _n=e=>JSON.stringify(e);function ht(e,n=""){return Object.entries(e).filter(([,r])=>r!==void 0).flatMap(([r,o])=>Array.isArray(o)?o.length===0?[`${n}${r}: []`]:[`${n}${r}:`,...o.flatMap(s=>ro(s,n))]:typeof o=="object"?[`${n}${r}:`,...ht(o,`${n}  `)]:[`${n}${r}: ${_n(o)}`])}function ro(e,n){if(typeof e!="object")return[`${n}  - ${_n(e)}`];let[r,...o]=ht(e,`${n}    `);return[`${n}  - ${r.trim()}`,...o]}function oo(e,n,r,o){let s=o?.state==="offline"?void 0:o?.state??"draft";return`${ht({activity_id:e,state:s,...qe(n,r,o)}).join(`
`)}
`}function hn({id:e,form:n,skus:r,sale:o}){let[s,a]=g({}),c=()=>{try{a({text:oo(e,n,r,o)})}catch(d){a({error:d})}},l=()=>a({}),u=async()=>a({...s,copied:await fe(s.text)});return i`<button type="button" class="quiet" id="file" onClick=${c}>${t("sale_file")}</button>
    ${(s.text||s.error)&&i`<${N} title=${t("sale_file")} close=${l}>
      <p class="muted">${t("sale_file_help")} <code>onrush activities apply -f ${e}.yaml</code></p>
      <${O} error=${s.error} />
      ${s.text&&i`<pre class="file" tabindex="0">${s.text}</pre>`}
      <p role="status" id="file-copy">${s.copied===!1&&t("copy_failed")}</p>
      <div class="row">
        ${s.text&&i`<button type="button" class="go" onClick=${u}>${t(s.copied?"copied":"copy")}</button>
          <a class="button" download="${e}.yaml"
            href=${`data:text/yaml;charset=utf-8,${encodeURIComponent(s.text)}`}>${t("download_file")}</a>`}
        <button type="button" class="quiet" onClick=${l}>${t("close")}</button></div><//>`}`}var yt=e=>Ue(`onrush.sale.${e??ke("","new")}`);function yn(e){try{return JSON.parse(localStorage.getItem(yt(e)))??void 0}catch{return}}function bn(e,n){try{return localStorage.setItem(yt(e),JSON.stringify(n)),!0}catch{return!1}}var Ce=e=>localStorage.removeItem(yt(e));function gn(e){let[n,r]=g(""),o=C(!1);return P(()=>{if(!e)return;let a=u=>u.preventDefault(),c=u=>{let d=u.target.closest?.('a[href^="#/"]');!d||u.ctrlKey||u.metaKey||u.shiftKey||(u.preventDefault(),r(d.hash))},l=u=>{o.current||(u.preventDefault(),r(u.detail))};return addEventListener("beforeunload",a),document.addEventListener("click",c,!0),addEventListener(dt,l),()=>{removeEventListener("beforeunload",a),document.removeEventListener("click",c,!0),removeEventListener(dt,l)}},[e]),{target:n,stay:()=>r(""),go:a=>{o.current=!0,location.hash=a}}}function vn({target:e,stay:n,go:r,discard:o}){return e?i`<${N} title=${t("leave_title")} close=${n}>
    <p class="muted">${t("leave_help")}</p>
    <div class="row">
      <button type="button" class="go" id="stay" onClick=${n}>${t("leave_stay")}</button>
      <button type="button" class="quiet" id="leave" onClick=${()=>r(e)}>${t("leave_keep")}</button>
      <button type="button" class="danger" id="leave-discard" onClick=${()=>{o(),r(e)}}>${t("leave_discard")}</button></div><//>`:null}function kn({plan:e,apply:n,close:r}){return i`<${N} title=${t("edit_plan")} close=${r}>
    <${ve} fields=${e.differences} />
    <div class="row"><button type="button" class="go" id="apply" onClick=${n}>${t("save")}</button>
      <button type="button" class="quiet" onClick=${r}>${t("cancel")}</button></div><//>`}function wn({form:e,skus:n}){let[r,o]=g(!1);return i`<button type="button" class="quiet" id="preview" onClick=${()=>o(!0)}>${t("preview")}</button>
    ${r&&i`<${N} title=${t("preview")} close=${()=>o(!1)}>
      <p class="muted">${t("preview_help")}</p>
      <article class="card preview">
        <${Re} url=${e.image_url} title=${e.title||"?"} tone=${Fe(e.title)} />
        <p><span class="badge upcoming">${t("preview_starts",{time:I(e.starts_at)})}</span></p>
        <h3>${e.title||t("preview_untitled")}</h3>
        ${e.description&&i`<p class="description">${e.description}</p>`}
        <p class="tags">
          ${Number(e.purchase_limit)>0&&i`<span>${t("preview_limit",{limit:e.purchase_limit})}</span>`}
          ${Number(e.paths_per_second)>0&&i`<span>${t("room")}</span>`}
          ${e.human_check!=="none"&&i`<span>${t("human_check")}</span>`}
          ${e.segments&&i`<span>${t("preview_segments")}</span>`}
          <span>${t("preview_pay",{minutes:e.pay_within})}</span></p>
        <ul class="list">${e.skus.map(s=>i`<li><${so} sku=${s} skus=${n} /></li>`)}
        </ul></article>
      <button type="button" class="go" onClick=${()=>o(!1)}>${t("close")}</button><//>`}`}function so({sku:e,skus:n}){let r=n.find(s=>s.sku_id===e.sku_id),o=e.stock.reduce((s,a)=>s+(Number(a.quantity)||0),0);return i`<div class="sku"><span class="name">${r?.title??e.sku_id}</span>
    <${io} sku=${e} goods=${r} />
    <span class="muted">${t("preview_units",{units:o})}
      ${Number(e.purchase_limit)>0&&i` · ${t("preview_limit",{limit:e.purchase_limit})}`}</span></div>`}function io({sku:e,goods:n}){let r;try{r=J(e.flash_price,e.currency??n?.currency)}catch{r=void 0}if(!n||r===void 0)return i`<span class="price">–</span>`;let o=e.currency??n.currency,s=o===n.currency&&r<n.price;return i`<span class="price">${E(r,o)}
    ${s&&i`<s>${E(n.price,n.currency)}</s>`}</span>`}var xn=e=>e.replace(/\r?\n$/,"").split(/\r?\n/).map(n=>n.split("	").map(r=>r.trim()));function ao(e){if(e==="")return"";let n=e.replace(/^[^\d.,-]+|[^\d.,]+$/g,"").replace(/\s/g,"");return/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(n)&&(n=n.replaceAll(",","")),n=n.replace(/^(\d+),(\d+)$/,"$1.$2"),/^\d+(\.\d+)?$/.test(n)?n:void 0}var le=ke("","price"),de=ke("","limit"),Ee=(e,n)=>e.toLowerCase()===n.toLowerCase(),On=(e,n,r,o)=>e.find(s=>s[n]===o)??e.find(s=>Ee(s[n],o)||Ee(s[r],o)),bt=(e="",n)=>On(n,"sku_id","title",e);function co(e,n){return["flash_price","price",t("flash_price")].some(r=>Ee(r,e))?le:["purchase_limit","limit",t("sku_limit")].some(r=>Ee(r,e))?de:Ee(t("units"),e)?"0":On(n,"point_id","name",e)?.point_id}function lo(e,n,r,{skus:o,points:s}){let a=bt(e[0][0],o)?e:e.slice(1);if(a.length>0&&e[0].length>1&&a.every(([c])=>bt(c,o))){let c=a===e?r:e[0].slice(1).map(l=>co(l,s));return a.map(([l,...u])=>({id:bt(l,o).sku_id,cells:u,columns:c}))}return e.map((c,l)=>({row:n.row+l,cells:c,columns:r.slice(Math.max(0,n.column))}))}function uo(e,n,r,{skus:o,draft:s,started:a}){let c=ao(r);if(!(c===void 0||n===void 0))return n===de?{...e,purchase_limit:c}:n===le?a||c===""?void 0:{...e,flash_price:c}:!s||n!=="0"&&!ce(e.sku_id,o)?c===""?e:void 0:Se(e,n,c)}function Sn(e,n,r,o,s){let a=[...e.skus],c={filled:0,skipped:0};for(let l of lo(n,r,o,s)){let u=l.row??a.findIndex(d=>d.sku_id===l.id);if(u<0&&s.draft){let d=s.skus.find(p=>p.sku_id===l.id);u=a.push({...Te(d,s.points),stock:[]})-1}l.cells.forEach((d,p)=>{let m=a[u]&&uo(a[u],l.columns[p],d,s);m&&(a[u]=m),c[m?"filled":"skipped"]+=1})}return{form:{...e,skus:a},...c}}function Tn(e,n,r){let o=n.map(c=>c===le?"flash_price":c===de?"purchase_limit":r.find(l=>l.point_id===c)?.point_id??c),s=(c,l)=>l===le?c.flash_price:l===de?c.purchase_limit:c.stock.find(u=>u.point_id===l)?.quantity??"",a=e.skus.map(c=>[c.sku_id,...n.map(l=>s(c,l))]);return[["sku_id",...o],...a].map(c=>c.join("	")).join(`
`)}var po=(e,n)=>n.find(r=>r.sku_id===e)?.title??e;function Pn({form:e,change:n,skus:r,points:o,draft:s,started:a,wrong:c}){let[l,u]=g(),d=Xe(e,o),p=ye(()=>d,[d.join()]),m=r.filter(S=>!e.skus.some(k=>k.sku_id===S.sku_id)),y=e.skus.map(S=>S.sku_id).join(),$=(S,k)=>n(x=>({skus:x.skus.map((T,Q)=>Q===S?{...T,...k(T)}:T)})),_=()=>n({skus:[...e.skus,Te(m[0],o)]}),v=S=>n(k=>({skus:k.skus.filter((x,T)=>T!==S)})),w=S=>{let[,k,x,T="0"]=/^(sku|price|limit|units)-(\d+)(?:-(\d+))?$/.exec(S.target.name)??[],Q=xn(S.clipboardData.getData("text/plain"));if(!k||Q.flat().length<2)return;S.preventDefault();let ue={sku:-1,price:0,limit:1,units:2+Number(T)}[k],he={skus:r,points:o,draft:s,started:a},pe=Sn(e,Q,{row:Number(x),column:ue},[le,de,...p],he);u({...pe,before:e}),n(pe.form)},V=()=>{n(l.before),u()};return i`<section class="card"><h2>${t("edit_skus")}</h2>
    ${r.length===0&&i`<p class="empty">${t("edit_no_skus")} <a href="#/goods">${t("menu_goods")}</a></p>`}
    <p class="muted">${t("edit_paste_help")}</p>
    ${e.skus.length>0&&i`<${fo} ...${{form:e,set:$,remove:v,columns:p,skus:r,points:o,draft:s,started:a}}
      used=${y} wrong=${c} take=${w} />`}
    <div aria-live="polite">${l&&i`<p class="notice" id="pasted">
      ${t("pasted",{filled:h(l.filled)})}
      ${l.skipped>0&&i` ${t("pasted_skipped",{skipped:h(l.skipped)})}`}${" "}
      <button type="button" class="quiet" onClick=${V}>${t("undo")}</button></p>`}</div>
    <div class="row">
      ${s&&m.length>0&&i`<button type="button" class="quiet" id="add-sku" onClick=${_}>
        ${t("add_sku")}</button>`}
      ${s&&i`<${mo} form=${e} change=${n} columns=${p} points=${o} skus=${r} />`}
      <${$o} text=${()=>Tn(e,[le,de,...p],o)} /></div></section>`}function $o({text:e}){let[n,r]=g();return i`<button type="button" class="quiet" id="copy-table" onClick=${async()=>r(await fe(e())?!0:{text:e()})}>
      ${t(n===!0?"copied":"copy_table")}</button>
    <div role="status" id="copy-failed">${n?.text&&i`<p>${t("copy_failed")}</p>
        <textarea readonly rows="4" aria-label=${t("copy_table")} value=${n.text}
          onFocus=${s=>s.target.select()}></textarea>`}</div>`}function mo({form:e,change:n,columns:r,points:o,skus:s}){let a=o.filter(u=>!r.includes(u.point_id));if(a.length===0||!e.skus.some(u=>ce(u.sku_id,s)))return null;let c=u=>n({points:[...e.points??[],u.target.value]}),l=[["",t("add_point")],...a.map(u=>[u.point_id,u.name])];return i`<label class="inline"><span class="hidden">${t("add_point")}</span>
    <${ut} name="add-point" value="" options=${l} onChange=${c} /></label>`}function fo({form:e,set:n,remove:r,columns:o,skus:s,points:a,draft:c,started:l,used:u,wrong:d,take:p}){let m=e.skus.some($=>ce($.sku_id,s)),y=$=>m?a.find(_=>_.point_id===$)?.name??$:t("units");return i`<div class="table grid" tabindex="0" role="region" aria-label=${t("edit_skus")}><table onPaste=${p}>
    <thead><tr><th scope="col">${t("sku")}</th>
      <th scope="col">${t("flash_price")}${l&&i`<${qn} why=${t("locked_started")} />`}</th>
      <th scope="col">${t("sku_limit")}
        ${l&&i`<span class="muted">${t("only_raised")}</span>`}</th>
      ${o.map($=>i`<th scope="col">${y($)}
        ${m&&i`<span class="muted">${t("units")}</span>`}
        ${!c&&i`<${qn} why=${t("edit_stock_live")} />`}</th>`)}
      ${c&&i`<th><span class="hidden">${t("remove_sku")}</span></th>`}</tr></thead>
    <tbody>${e.skus.map(($,_)=>i`
      <${gt} key=${_} ...${{sku:$,i:_,set:n,remove:r,columns:o,skus:s,draft:c,started:l,used:u,wrong:d,nameOf:y}}
        only=${e.skus.length===1} delivered=${m} />`)}</tbody></table></div>
    ${!c&&i`<p class="muted locked"><${Ae} name="lock" /> ${t("edit_stock_live")}</p>`}
    ${l&&i`<p class="muted locked"><${Ae} name="lock" /> ${t("locked_started_price")}</p>`}`}function qn({why:e}){return i` <span class="lock" title=${e}><${Ae} name="lock" /><span class="hidden">${e}</span></span>`}var _o=["sku","i","columns","used","draft","started","wrong","only","delivered"],gt=class extends De{shouldComponentUpdate(n){return _o.some(r=>n[r]!==this.props[r])}render({sku:n,i:r,set:o,remove:s,columns:a,skus:c,draft:l,started:u,used:d,wrong:p,only:m,nameOf:y}){let $=po(n.sku_id,c),_=d.split(","),w=c.filter(k=>k.sku_id===n.sku_id||!_.includes(k.sku_id)).map(k=>[k.sku_id,k.title]);w.some(([k])=>k===n.sku_id)||w.unshift([n.sku_id,n.sku_id]);let V=k=>{let x=k.target.value,T=ce(x,c)?void 0:Se({stock:[]},"0",yo(n));o(r,()=>({sku_id:x,flash_price:pn(x,c),currency:Oe(x,c),...T}))},S=(k,x,T,Q,ue)=>i`<td data-name=${x}>
      <${ho} name=${k} label=${`${$}: ${x}`} value=${T} error=${p[k]}
        onInput=${he=>o(r,pe=>Q(pe,he.target.value))} ...${ue} /></td>`;return i`<tr>
      <td data-name=${t("sku")}><${ut} name="sku-${r}" aria-label=${t("sku")} value=${n.sku_id}
          disabled=${!l} options=${w} onChange=${V} aria-invalid=${!!p[`sku-${r}`]}
          aria-describedby=${p[`sku-${r}`]&&`wrong-sku-${r}`} />
        ${p[`sku-${r}`]&&i`<p class="bad" id="wrong-sku-${r}">${p[`sku-${r}`]}</p>`}
        <p class="muted">${bo(n.sku_id,c)}</p></td>
      ${S(`price-${r}`,t("flash_price"),n.flash_price,(k,x)=>({flash_price:x}),{required:!0,disabled:u})}
      ${S(`limit-${r}`,t("sku_limit"),n.purchase_limit,(k,x)=>({purchase_limit:x}),{min:1,placeholder:t("no_limit")})}
      ${a.map((k,x)=>k!=="0"&&!ce(n.sku_id,c)?i`<td data-name=${y(k)} class="none" title=${t("not_delivered")}>
              <span aria-hidden="true">–</span><span class="hidden">${t("not_delivered")}</span></td>`:S(`units-${r}-${x}`,y(k),n.stock.find(T=>T.point_id===k)?.quantity??"",(T,Q)=>Se(T,k,Q),{disabled:!l,required:n.stock.length===0}))}
      ${l&&i`<td><button type="button" class="quiet square" disabled=${m}
          title=${m?t("remove_sku_last"):t("remove_sku")} aria-label=${`${$}: ${t("remove_sku")}`}
          onClick=${()=>s(r)}>×</button></td>`}</tr>`}};function ho({name:e,label:n,error:r,...o}){return i`<input name=${e} type="number" min="0" step="any" aria-label=${n} onKeyDown=${a=>{if(a.key!=="Enter")return;a.preventDefault();let c=e.replace(/-(\d+)/,(l,u)=>`-${Number(u)+1}`);document.querySelector(`.edit [name="${c}"]`)?.select()}}
      aria-invalid=${!!r} aria-describedby=${r&&`wrong-${e}`} ...${o} />
    ${r&&i`<p class="bad" id="wrong-${e}">${r}</p>`}`}var yo=e=>e.stock.reduce((n,r)=>n+Number(r.quantity),0);function bo(e,n){let r=n.find(o=>o.sku_id===e);return r?t("list_price_is",{price:E(r.price,Oe(e,n))}):""}function Cn({checks:e,publish:n,then:r}){let o=e.some(a=>a.level==="failure"),s=a=>{let c=`check_${a.check}_${a.level}`,l=["limits","prices","stock","times"].includes(a.check)||a.level==="ok";return i`${oe(c)?t(c,{sku:a.sku_id??"",point:a.point_id??""}):a.detail}
      ${oe(c)&&!l&&i`<span class="muted">${a.detail}</span>`}`};return i`<section class="card checks" id="checks" aria-live="polite"><h2>${t("checks")}</h2>
    <ul>${e.map(a=>i`<li class=${a.level}>
      <span class="level">${t(`level_${a.level}`)}</span> ${s(a)}</li>`)}</ul>
    ${o?i`<p class="bad">${t("checks_failed")}</p>`:i`<${b} route="POST /activities/{activity_id}/publish" label=${t("publish")} kind="go large"
            id="publish" run=${n} then=${r} />`}</section>`}function go({id:e}){let{value:n,error:r,reload:o}=U(async()=>{let[s,a,c,l]=await Promise.all([e?f("GET",`/activities/${encodeURIComponent(e)}`):void 0,e?K("/skus",{activity_id:e}):[],K("/skus"),K("/points")]),u=new Map([...a,...c].map(d=>[d.sku_id,d]));return{sale:s,skus:[...u.values()],points:l}});return n?i`<${wo} ...${n} />`:r?i`<${O} error=${r} retry=${o} />`:i`<${L} />`}function vo(e,n,r){let o=ye(()=>yn(e?.activity_id),[]),[s,a]=g(()=>e?.activity_id??o?.id??ge()),[c,l]=g(()=>e?re(e,n):o?.base??_t(n,r)),[u,d]=g(()=>o?Pe(o.base,o.form,c):c),[p,m]=g(!0),[y,$]=g(o?.at),[_,v]=g(!e),w=!xe(u,c);P(()=>{let x=_?void 0:s;w?m(bn(x,{form:u,base:c,id:s,at:new Date().toISOString()})):Ce(x)},[u,c,s]);let V=()=>a(ge());return{id:s,base:c,setBase:l,form:u,setForm:d,unsaved:w,isKept:p,saved:x=>{_&&Ce(void 0),v(!1),$(),l(re(x,n)),d(T=>Pe(u,T,re(x,n)))},discard:()=>{let x=_?_t(n,r):c;$(),l(x),d(x),_&&V()},renew:V,restored:w&&y}}async function ko(e,n,r){try{return await f("PUT",e,{body:n,create:!0})}catch(o){if(!Mt(o))throw o;let s=await f("GET",e);if(s.state==="draft"&&xe(qe(re(s,r),r,s),n))return s;throw o}}function wo({sale:e,skus:n,points:r}){let[o,s]=g(e),a=vo(e,n,r),{id:c,base:l,setBase:u,form:d,setForm:p,unsaved:m,isKept:y,saved:$,restored:_}=a,[v,w]=g({}),V=gn(m),S=!o||o.state==="draft",k=!S&&H(o)!=="upcoming",x=Y=>{p(D=>({...D,...typeof Y=="function"?Y(D):Y})),w(D=>D.busy?D:{})},T=`/activities/${c}`,Q=Y=>async()=>{try{let D=await f("GET",T);s(D),u(re(D,n)),p(Y?Pe(o?l:{},d,re(D,n)):re(D,n)),w({})}catch(D){w({error:D})}},ue=Y=>async D=>{D?.preventDefault(),w({busy:!0});let Z;try{if(Z=qe(d,n,o),!S){let lt=await f("PUT",`${T}/file?dry_run=true`,{version:o.version,body:Z});lt.differences.length===0&&$(o),w(lt.differences.length===0?{saved:!0}:{plan:lt,body:Z});return}let $e=await(o?f("PUT",T,{version:o.version,body:Z}):ko(T,Z,n));s($e),$($e),o||history.replaceState(null,"",`#/edit/${$e.activity_id}`),w(await Y($e))}catch($e){w({error:$e,body:Z})}},he=async({plan:Y,body:D})=>{w({busy:!0});try{await f("PUT",`${T}/file`,{version:Y.version,body:D});let Z=await f("GET",T);s(Z),$(Z),w({saved:!0})}catch(Z){w({error:Z,body:D})}},pe=()=>{a.renew(),w({})},Pr=async Y=>({checks:(await f("GET",`/activities/${Y.activity_id}/checks`)).items}),ct=ye(()=>mn(v.error,v.body,d,Xe(d,r)),[v.error]);return P(()=>{v.error&&document.querySelector(".edit [aria-invalid=true]")?.focus()},[v.error]),i`<${qo} sale=${o} draft=${S} path=${T} closed=${s}
      gone=${()=>V.go("#/sales")} />
    ${!S&&i`<p class="notice">${t("edit_published")}</p>`}
    ${_&&i`<p class="notice" id="restored">${t("edit_restored",{time:I(_)})}${" "}
      <button type="button" class="quiet" onClick=${a.discard}>${t("edit_discard")}</button></p>`}
    <form class="edit" onSubmit=${ue(async()=>({saved:!0}))}>
      <${xo} form=${d} change=${x} wrong=${ct.fields} draft=${S} started=${k}>
        <${Pn} form=${d} change=${x} skus=${n} points=${r} draft=${S} started=${k}
          wrong=${ct.fields} /><//>
      ${!k&&i`<${Qt} id=${c} form=${d} />`}
      <${fn} error=${v.error} wrong=${ct} form=${d} mine=${Q(!0)} theirs=${Q(!1)}
        apart=${!o&&pe} />
      <div class="bar-row row"><${Po} draft=${S} busy=${v.busy} check=${ue(Pr)} />
        <${wn} form=${d} skus=${n} /><${hn} id=${c} form=${d} skus=${n} sale=${o} />
        <${Oo} saved=${v.saved} unsaved=${m} isKept=${y} /></div>
      ${v.checks&&i`<${Cn} checks=${v.checks} publish=${()=>So(o)} then=${To} />`}
    </form>
    ${v.plan&&i`<${kn} plan=${v.plan} apply=${()=>he(v)} close=${()=>w({})} />`}
    <${vn} ...${V} discard=${()=>Ce(o?.activity_id)} />`}function xo({form:e,change:n,wrong:r,draft:o,started:s,children:a}){let c=$=>({name:$,value:e[$],onInput:_=>n({[$]:_.target.value})}),l=($,_)=>i`<${At} label=${t($)} error=${r[$]} ...${c($)} ...${_} />`,u={options:["none","pow","captcha"].map($=>[$,t(`human_${$}`)]),onChange:$=>n({human_check:$.target.value})},d={placeholder:"10/1",pattern:"[1-9]\\d*/[1-9]\\d*",help:t("limit_form")},p=$=>{let _=new Date(e[$]);if(!Number.isNaN(_.getTime()))return _<new Date?t("time_past",{time:I(_)}):I(_)},m=s?t("locked_started"):void 0,y=o?void 0:t("locked_published");return i`<section class="card"><h2>${t("edit_what")}</h2>
      ${l("title",{required:!0,maxlength:200})}
      ${l("description",{type:"textarea",maxlength:5e3})}
      <div class="columns">
        ${l("image_url",{inputmode:"url",maxlength:500})}
        ${l("shop_id",{required:!0,...ne,locked:y})}</div></section>
    <section class="card"><h2>${t("edit_when")}</h2><div class="columns">
      ${l("starts_at",{type:"datetime-local",required:!0,locked:m,help:p("starts_at")})}
      ${l("ends_at",{type:"datetime-local",required:!0,help:p("ends_at")})}
      ${l("pay_within",{type:"number",min:1/60,required:!0,locked:y,help:t("pay_within_help")})}</div></section>
    ${a}
    <section class="card"><h2>${t("edit_gates")}</h2><p class="muted">${t("edit_gates_help")}</p><div class="columns">
      ${l("purchase_limit",{type:"number",min:1,help:t(s?"only_raised":"none_if_empty")})}
      ${l("permit_ratio",{type:"number",min:1,max:100,help:t("permit_ratio_help")})}
      ${l("human_check",u)}
      ${l("paths_per_second",{type:"number",min:.01,help:t("waiting_room_help")})}
      ${["item","user","ip"].map($=>l(`limit_${$}`,d))}
      ${l("segments",{help:t("segments_help"),maxlength:600})}</div></section>`}function Oo({saved:e,unsaved:n,isKept:r}){return i`<div class="saved" aria-live="polite">
    ${e&&!n&&i`<p class="good" id="saved">${t("saved")}</p>`}
    ${n&&i`<p class="muted" id="unsaved">${t(r?"unsaved":"unsaved_not_kept")}</p>`}</div>`}var So=e=>f("POST",`/activities/${e.activity_id}/publish`,{version:e.version}),To=e=>{location.hash=`#/live/${e.activity_id}`};function qo({sale:e,draft:n,path:r,closed:o,gone:s}){if(!e)return i`<div class="row heading"><h1>${t("new_sale")}</h1></div>`;let a=(c,l,u=e.version)=>f("DELETE",r,{version:u});return i`<div class="row heading"><h1>${e.title}</h1><${q} state=${H(e)} />
      ${!n&&i`<a class="button" href="#/live/${e.activity_id}">${t("show_live")}</a>`}
      <${Ve} sale=${e} /><${Qe} sale=${e} then=${o} />
      ${n&&i`<${b} route="DELETE /activities/{activity_id}" label=${t("delete")}
          title=${t("delete_title",{name:e.title})} kind="danger"
        help=${t("delete_draft_help")}
        run=${a} then=${()=>{Ce(e.activity_id),s()}} />`}</div>`}function Po({draft:e,busy:n,check:r}){return i`<button class=${e?"quiet":"go"} id="save" disabled=${n}>
      ${t(e?"save_draft":"save")}</button>
    ${e&&i`<button type="button" class="go" id="check" disabled=${n}
      onClick=${o=>o.target.form.reportValidity()&&r()}>${t("check_and_publish")}</button>`}`}var Co=/^[!-~]{1,64}$/,Eo=/^"((?:[^"]|"")*)"$/,Lo=/^="((?:[^"]|"")*)"$/,jo=/^([+-]?\d([.,]\d+)?E[+-]\d+|#(N\/A|NV|NAME|\S*[!?]|#+))$/i,_e="(0?[1-9]|[12]\\d|3[01])",vt="(0?[1-9]|1[0-2])",et="(\\d{2}|[12]\\d{3})",En="([Jj]an|[Ff]eb|[Mm]ar|[Aa]pr|[Mm]ay|[Jj]un|[Jj]ul|[Aa]ug|[Ss]ept?|[Oo]ct|[Nn]ov|[Dd]ec)",Do=[`${_e}\\.${vt}\\.${et}`,`${_e}/${_e}/${et}`,`[12]\\d{3}-${vt}-${_e}`,`[12]\\d{3}/${vt}/${_e}`,`${En}-${et}`,`${_e}-${En}(-${et})?`],Uo=new RegExp(`^(${Do.join("|")})$`),Io=/(code|voucher|coupon|key|pin|serial|number)s?$/i,Ln=e=>/\d/.test(e),jn=(e,n)=>e.exec(n)?.[1].replaceAll('""','"').trim();function Mo(e){let n=jn(Eo,e),r=jn(Lo,n??e);return r!==void 0?r:n===void 0&&/^=?"|[,;\t]/.test(e)?"":(n??e).replace(/^'/,"").trim()}function No(e){return e.length===0||Ln(e[0])?!1:Io.test(e[0])||e.length>1&&e.slice(1).every(Ln)}function kt(e="",n=!0){let r={codes:[],wrong:[]},o=0;return e.split(`
`).forEach((s,a)=>{if(!s.trim())return;let c=Mo(s.trim()),l=n&&(jo.test(c)||Uo.test(c));if(!Co.test(c)||l)return r.wrong.push(a+1);o||=a+1,r.codes.push(c)}),n&&No(r.codes)&&r.wrong.unshift(o),r}var Dn=1e4,wt=1e5,Un=5,Ao=e=>t("codes_refused",{count:h(e.length),lines:e.slice(0,Un).join(", ")+(e.length>Un?" …":"")}),In=()=>t("codes_most",{most:h(wt)});function Mn({codes:e},n){let r=kt(e,n),o=t("codes_counted",{codes:h(r.codes.length)});return i`${o}${r.wrong.length>0&&i`<br />${Ao(r.wrong)}`}`}async function Ro({target:e}){let[n]=e.files;if(e.setCustomValidity(n?.size>wt*66?In():""),!n||!e.reportValidity())return;let{codes:r}=e.form.elements;r.value=await n.text(),r.dispatchEvent(new Event("input",{bubbles:!0}))}function Nn(e,n){let{codes:r,wrong:o}=kt(e,n);if(o.length)throw new Error(t("codes_nothing"));if(r.length>wt)throw new Error(In());return r}function An(e,n){let r=C({text:"",key:""});return async(o,s={})=>{let a=JSON.stringify([o,s]);r.current.text!==a&&(r.current={text:a,key:ge()});let c=[];for(let l=0;l===0||l<o.length;l+=Dn){let u={...s,codes:o.slice(l,l+Dn)},d=`/skus/${encodeURIComponent(e.sku_id)}/vouchers:${n}`;c.push(await f("POST",d,{key:`${r.current.key}-${l}`,body:u}))}return r.current={text:"",key:""},c}}var Rn=({done:e,sku:n,...r})=>t(`codes_${e}`,{sku:n,...Object.fromEntries(Object.entries(r).map(([o,s])=>[o,h(s)]))}),Fn=e=>[{name:"codes",label:t("codes"),type:"textarea",rows:8,required:e,spellcheck:!1},{name:"file",label:t("codes_file"),type:"file",accept:".txt,.csv,text/plain",onChange:Ro}];function Bn({sku:e,then:n}){let r=An(e,"import"),o=async({codes:s})=>{let a={imported:0,known:0,repeated:0};for(let{accepted:c,skipped:l}of await r(Nn(s,!0))){a.imported+=c;for(let{reason:u}of l)a[u]+=1}return{done:"imported",sku:e.sku_id,...a}};return i`<${b} route="POST /skus/{sku_id}/vouchers:import" id="import-${e.sku_id}"
    label=${t("import_codes")} title=${t("import_codes_title",{name:e.title})} help=${t("import_codes_help")}
    fields=${Fn(!0)} preview=${s=>Mn(s,!0)} run=${o} then=${n} />`}function Gn({sku:e,then:n}){let r=An(e,"withdraw"),o=async({codes:l,all:u})=>{let d=[...new Set(Nn(l,!1))];if(!!u==d.length>0)throw new Error(t("withdraw_codes_which"));let m=(await r(d,{all:!!u})).reduce((y,$)=>y+$.withdrawn,0);return{done:"withdrawn",sku:e.sku_id,withdrawn:m,kept:u?0:d.length-m}},s=t("type_to_confirm",{what:e.sku_id}),a=[...Fn(!1),{name:"all",label:t("withdraw_codes_all"),type:"checkbox"},{name:"confirm",label:s,required:!0,pattern:e.sku_id.replaceAll(".","\\.")}],c=l=>l.all&&!l.codes?t("withdraw_codes_all"):Mn(l,!1);return i`<${b} route="POST /skus/{sku_id}/vouchers:withdraw" id="withdraw-${e.sku_id}" kind="danger"
    label=${t("withdraw_codes")} title=${t("withdraw_codes")} help=${t("withdraw_codes_help")} fields=${a}
    preview=${c} run=${o} then=${n} />`}var Fo=()=>["physical","virtual","voucher"].map(e=>[e,t(`kind_${e}`)]),Le=e=>`/skus/${encodeURIComponent(e)}`;function zn(e){let n=r=>e?te(r,e.currency):"";return[...e?[]:[{name:"sku_id",label:t("sku_id"),required:!0,...ne}],{name:"title",label:t("title"),required:!0,maxlength:200,initial:e?.title},{name:"description",label:t("description"),type:"textarea",maxlength:2e3,initial:e?.description},{name:"shop_id",label:t("shop_id"),required:!0,...ne,initial:e?.shop_id},{name:"kind",label:t("kind"),options:Fo(),initial:e?.kind},{name:"currency",label:t("currency"),required:!0,pattern:"[A-Z]{3}",initial:e?.currency??"CNY"},{name:"price",label:t("list_price"),type:"number",min:0,required:!0,initial:n(e?.price)},{name:"fee",label:t("freight"),type:"number",min:0,initial:n(e?.freight.fee)},{name:"free_over",label:t("free_over"),help:t("free_over_help"),type:"number",min:0,initial:n(e?.freight.free_over)},{name:"required_fields",label:t("required_fields"),help:t("required_fields_help"),type:"textarea",maxlength:1500,initial:e?.required_fields?.join(`
`)},{name:"image_url",label:t("image_url"),maxlength:500,initial:e?.image_url},...e?[]:[{name:"stock",label:t("ordinary_stock"),type:"number",min:0,initial:0}]]}var Jn=e=>(n,r,o)=>Be(e,Le(e?.sku_id??n.sku_id),{body:{title:n.title,description:n.description,shop_id:n.shop_id,kind:n.kind,currency:n.currency,image_url:n.image_url,required_fields:n.required_fields.split(`
`).map(s=>s.trim()).filter(Boolean),price:J(n.price,n.currency),freight:{fee:J(n.fee,n.currency)??0,free_over:J(n.free_over,n.currency)??0},...n.stock&&{stock:Number(n.stock)}}},o);function Bo({query:e}){let n=new URLSearchParams(e).get("sku_id");return n?i`<${Go} id=${n} />`:i`<${zo} />`}function Go({id:e}){return i`<${Wn} list=${ze(Le(e))}><p><a href="#/goods">${t("all_goods")}</a></p><//>`}function zo(){let[e,n]=g({shop_id:""}),r=G("/skus",e);return i`<${Wn} list=${r}><${ee} values=${e} change=${n}
    fields=${[{name:"shop_id",label:t("shop_id"),maxlength:ne.maxlength}]} /><//>`}function Wn({list:e,children:n}){let[r,o]=g(),s=d=>({delta:p},m)=>f("POST",`${Le(d.sku_id)}/stock`,{key:m,body:{delta:Number(p)}}),a=d=>({stock:p},m,y=d.stock_version)=>f("PUT",`${Le(d.sku_id)}/stock`,{version:y,body:{stock:Number(p)}}),c={name:"stock",label:t("units"),type:"number",min:0,required:!0},l={name:"delta",label:t("units"),type:"number",required:!0},u=[[i`<span class="hidden">${t("image_url")}</span>`,d=>i`<span class="thumb">
      <${Re} url=${d.image_url} title=${d.title} tone=${Fe(d.sku_id)} /></span>`,"thumbnail"],[t("title"),d=>i`<b>${d.title}</b><p class="muted"><code>${d.sku_id}</code></p>`,"lead wide"],[t("shop"),d=>d.shop_id,"named"],[t("kind"),d=>t(`kind_${d.kind}`)],[t("list_price"),d=>E(d.price,d.currency),"number named"],[t("freight"),d=>E(d.freight.fee,d.currency),"number named"],[t("ordinary_stock"),d=>h(d.stock),"number named"],["",d=>i`<div class="row actions many">
      <${b} route="PUT /skus/{sku_id}"
        label=${t("edit")} title=${t("edit")} fields=${zn(d)} run=${Jn(d)} then=${e.reload} />
      <${b} route="POST /skus/{sku_id}/stock"
        label=${t("change_stock")} title=${t("change_stock")} help=${t("change_stock_help")}
        fields=${[l]} run=${s(d)} then=${e.reload} />
      <${b} route="PUT /skus/{sku_id}/stock"
        label=${t("set_stock")} title=${t("set_stock")} help=${t("set_stock_help")}
        fields=${[{...c,initial:d.stock}]} run=${a(d)} then=${e.reload} />
      ${d.kind==="voucher"&&i`<${Bn} sku=${d} then=${o} /><${Gn} sku=${d} then=${o} />`}
      <${b} route="DELETE /skus/{sku_id}"
        label=${t("delete")} title=${t("delete_title",{name:d.title})} kind="danger"
        help=${t("delete_sku_help")}
        run=${(p,m,y=d.version)=>f("DELETE",Le(d.sku_id),{version:y})}
        then=${e.reload} /></div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_goods")}</h1>
      <${b} route="PUT /skus/{sku_id}"
        label=${t("new_sku")} title=${t("new_sku")} kind="go" fields=${zn()} run=${Jn()}
        then=${e.reload} /></div>
    ${n}
    <p role="status" id="codes" class=${r?"notice":""}>${r&&Rn(r)}</p>
    <${z} list=${e} name=${t("menu_goods")} columns=${u} empty=${t("goods_none")}
      keyOf=${d=>d.sku_id} />`}var Jo=["till","support","catalogue","read","events","payments","admin"];function Kn(e){return e.revoked_at?"revoked":e.expires_at&&Date.parse(e.expires_at)<=Me()?"expired":"active"}function Wo({revoked_at:e,revoked_by:n,expires_at:r}){return e?i`<${j} at=${e} /><p class="muted">${n}</p>`:r?i`<${j} at=${r} />`:t("no_end")}function Ko({made:e,close:n}){let[r,o]=g(),s=async()=>o(await fe(e.secret));return i`<${N} title=${t("key_made",{name:e.name})} close=${n}>
    <p>${t("key_made_help")}</p><p><code class="secret" id="secret">${e.secret}</code></p>
    <p role="status">${r===!1&&t("copy_failed")}</p>
    <div class="row">
      <button type="button" class="go" id="copy-key" onClick=${s}>${t(r?"copied":"copy")}</button>
      <button type="button" class="quiet" id="close-key" onClick=${n}>${t("key_kept")}</button></div><//>`}function Ho(){let e=G("/keys"),[n,r]=g(),o=[{name:"name",label:t("name"),help:t("key_name_help"),required:!0,maxlength:60},{name:"scope",label:t("scope"),options:Jo.map(l=>[l,t(`scope_${l}`)]),initial:"till"},{name:"until",label:t("key_until"),help:t("key_until_help"),type:"datetime-local"}],s=({name:l,scope:u,until:d},p)=>f("POST","/keys",{key:p,body:{name:l,scope:u,...d&&{expires_at:new Date(d).toISOString()}}}),a=l=>{r(l),e.reload()},c=[[t("name"),l=>i`<b>${l.name}</b>`,"lead"],[t("scope"),l=>i`<span title=${t(`scope_${l.scope}_help`)}>${t(`scope_${l.scope}`)}</span>`],[t("state"),l=>i`<${q} state=${Kn(l)} />`],[M(t("last_used")),l=>l.last_used_at?i`<${j} at=${l.last_used_at} />`:t("never"),"named"],[M(t("made")),l=>i`<${j} at=${l.created_at} /><p class="muted">${l.created_by}</p>`,"named"],[M(t("ends")),Wo,"named"],["",l=>Kn(l)==="active"&&i`<${b} label=${t("revoke")} title=${t("revoke_title",{name:l.name})} help=${t("revoke_help")}
        kind="danger" id="revoke-${l.key_id}" run=${()=>f("DELETE",`/keys/${l.key_id}`)} then=${e.reload} />`,"tools"]];return i`<div class="row heading"><h1>${t("menu_keys")}</h1>
      <${b} label=${t("new_key")} kind="go" id="new-key" title=${t("new_key")} fields=${o} run=${s}
        then=${a} preview=${({scope:l="till"})=>t(`scope_${l}_help`)} /></div>
    <p class="muted">${t("keys_help")}</p>
    <${z} list=${e} name=${t("menu_keys")} columns=${c} empty=${t("keys_none")}
      keyOf=${l=>l.key_id} />
    ${n&&i`<${Ko} made=${n} close=${()=>r()} />`}`}var Vn=1e3,Vo=300;async function Hn(e){let n=e&&{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(e)},r=await Lt(Ct("/dev/crowd"),n||{}).catch(()=>{throw{code:"unreachable"}}),o=await r.json();if(!r.ok)throw o;return o}function Qo(e){let[n,r]=g(),[o,s]=g(),[a,c]=g(""),[l,u]=g(0),d=C(!1),p=!!n?.running;return P(()=>{let y=!0,$=setTimeout(()=>Hn().then(_=>{if(y){if(_.activity_id!==e||!_.buyers){r(void 0);return}r(_),_.running&&s(),p&&!_.running&&c(t("crowd_ended",{ordered:h(_.ordered),refused:h(_.refused),drift:h(_.drift)})),u(v=>v+(_.running?1:0))}},()=>y&&u(_=>_+(p?1:0))),p?Vo:0);return()=>{y=!1,clearTimeout($)}},[e,l]),{crowd:n,error:o,said:a,running:p,send:async()=>{if(!d.current){d.current=!0,s();try{let y=await Hn({activity_id:e,buyers:Vn});r(y),c(t("crowd_begun",{count:h(y.buyers)}))}catch(y){s(y)}d.current=!1,u(y=>y+1)}}}}function Qn({activity:e,sells:n=!0}){let{crowd:r,error:o,said:s,running:a,send:c}=Qo(e);if(!n&&!r)return null;let l=h(Vn),u=t(r?"crowd_again":"crowd_send",{count:l}),d=a?t("crowd_running",{count:h(r.buyers)}):u;return i`<section class="crowd card" aria-labelledby="crowd-title">
    <div class="crowd-head"><div><span class="badge">${t("crowd_demo")}</span>
        <h2 id="crowd-title">${t("crowd_title",{count:l})}</h2>
        <p class="muted">${t("crowd_help")}</p></div>
      <button
        id="send-crowd"
        class="large"
        disabled=${a||!n}
        onClick=${c}
      >${d}</button></div>
    ${o?.code==="conflict"?i`<p class="problem" role="alert">${t("crowd_busy")}</p>`:i`<${O} error=${o} />`}
    ${r&&i`<${Yo} crowd=${r} />`}
    <p class="hidden" role="status">${s}</p>
  </section>`}function Yo({crowd:e}){let n=[["bought",e.ordered],["refused",e.refused],["waiting",e.waiting]],r=Math.max(e.elapsed_ms,1)/1e3,o=e.units_before-e.units_left,s=e.ok!==void 0,a=!e.running&&o===e.ordered,c={sold:h(o),total:h(e.units_before)},l=e.drift===0?"good":"bad",u=(d,p,m="")=>i`<div class="fact ${d} ${m}"><dt>${t(`crowd_${d}`)}</dt>
    <dd>${p}${m==="good"&&i`<span aria-hidden="true"> ✓</span>`}</dd></div>`;return i`<div class="outcome ${e.running?"running":"over"}">
    <div class="crowd-bar" aria-hidden="true">${n.map(([d,p])=>i`
      <span class=${d} style=${{width:`${100*p/e.buyers}%`}}></span>`)}</div>
    <dl class="crowd-numbers">${n.map(([d,p])=>i`<div class=${d}>
      <dt>${t(`crowd_${d}`)}</dt><dd>${h(p)}</dd></div>`)}</dl>
    <dl class="crowd-facts">
      ${u("sold",t("crowd_sold_of",c),a?"good":"")}
      ${u("drift",s?h(e.drift):"…",s?l:"")}
      ${u("rate",h(Math.round(e.requests/r)))}
      ${u("time",t("crowd_seconds",{seconds:r.toFixed(1)}))}</dl>
    <${Zo} answers=${e.answers} /></div>`}function Zo({answers:e}){let n={};for(let[s,a]of Object.entries(e)){let c=s.slice(s.indexOf(":")+1);c!=="ok"&&(n[c]=(n[c]??0)+a)}let r=Object.entries(n).sort(([,s],[,a])=>a-s);if(r.length===0)return null;let[[,o]]=r;return i`<div class="told"><h3>${t("crowd_told")}</h3>
    <ul>${r.map(([s,a])=>i`<li key=${s}><span>${Xo(s)}</span><b>${h(a)} ×</b>
      <span class="told-bar" aria-hidden="true">
        <span style=${{width:`${100*a/o}%`}}></span></span></li>`)}</ul></div>`}function Xo(e){for(let n of[`crowd_told_${e}`,`problem_${e}`])if(oe(n))return t(n);return e}function es(e){return e.ok?!0:e.changes_stuck>0&&e.bought_wrong===0&&me([...e.items,...e.totals])===0}function ts(e){let n=new Map;for(let r of e)n.has(r.sku_id)||n.set(r.sku_id,[]),n.get(r.sku_id).push(r);return[...n].map(([r,o])=>({sku_id:r,points:o,...Gt(o)}))}function Yn({audit:e,sale:n,again:r}){let o=ts(e.items),s=o.map(p=>p.sku_id),[a,c]=g(()=>new Set(s.length<=10?s:[])),l=p=>c(m=>{let y=new Set(m);return y.delete(p)||y.add(p),y}),u=a.size===s.length,d=es(e);return i`<section class="account"><div class="row heading"><h2>${t("account")}</h2>
      <span class="badge ${se(d)}">${t(d?"account_ok":"account_wrong")}</span>
      ${!d&&i`<${b} route="POST /activities/{activity_id}/audit/repair"
          label=${t("repair")} title=${t("repair")} help=${t("repair_help")} kind="danger"
        run=${(p,m)=>f("POST",`/activities/${n.activity_id}/audit/repair`,{key:m})} then=${r} />`}
      <button class="quiet" id="all-points" onClick=${()=>c(new Set(u?[]:s))}>
        ${t(u?"fold_points":"show_points")}</button></div>
    <p class="muted">${t("account_rule")}</p>
    ${e.changes_pending>0&&i`<p class="notice">
      ${t("changes_pending",{changes:h(e.changes_pending)})}${" "}
      ${e.changes_stuck>0&&t("changes_stuck",{changes:h(e.changes_stuck)})}</p>`}
    <div class="table wide" tabindex="0" role="region" aria-label=${t("account")}><table role="table">
      <thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">${t("sku")}</th>
        <th scope="col" role="columnheader">${t("point")}</th>
        ${We.map(p=>i`
        <th scope="col" role="columnheader" class="number">${t(`units_${p}`)}</th>`)}</tr></thead>
      ${o.map(p=>i`<tbody role="rowgroup" key=${p.sku_id}>
        <${tt} sku=${p.sku_id} values=${p} open=${a.has(p.sku_id)} toggle=${l} />
        ${a.has(p.sku_id)&&p.points.map(m=>i`
          <${tt} key=${m.point_id} point=${m.point_id} values=${m} />`)}</tbody>`)}
    </table></div></section>`}var tt=class extends De{shouldComponentUpdate(n){return n.open!==this.props.open||We.some(r=>n.values[r]!==this.props.values[r])}render({sku:n,point:r,values:o,open:s,toggle:a}){return i`<tr class=${n?"sum":""} role="row">
      <td class="name" role="cell">${n&&i`<button class="fold" aria-expanded=${s} onClick=${()=>a(n)}>${n}</button>`}</td>
      <td class="name" role="cell" data-name=${r&&t("point")}>${r}</td>
      ${We.map(c=>{let l=c==="drift"?se(o.drift===0):"",u=t(`units_${c}`);return i`<td class="number ${l}" role="cell" data-name=${u}>${h(o[c])}</td>`})}</tr>`}};var ns=1e4,Zn=["pointerdown","keydown"],Xn=Ue("alarm_sound"),X,er;function nt(){return X??=new AudioContext,X.resume()}function tr(){er??=nt().then(()=>{er=void 0,rs()})}function rs(){for(let[e,n]of[[0,880],[.25,660]]){let r=X.createOscillator(),o=X.createGain();r.frequency.value=n,o.gain.value=.2,r.connect(o).connect(X.destination),r.start(X.currentTime+e),r.stop(X.currentTime+e+.2)}}function os(e){let[,n]=g(0);return P(()=>{if(!e)return;nt();let r=()=>n(o=>o+1);r(),X.addEventListener("statechange",r);for(let o of Zn)addEventListener(o,nt,!0);return()=>{X.removeEventListener("statechange",r);for(let o of Zn)removeEventListener(o,nt,!0)}},[e]),!X||X.state==="running"}function nr(){let[e,n]=g(localStorage.getItem(Xn)==="on");return[e,o=>{localStorage.setItem(Xn,o?"on":"off"),n(o),o&&tr()}]}function xt(e,n){let r=C(0);return{...F(e,async()=>{r.current||=Date.now();try{let s=await n();return r.current=0,s}catch(s){throw s.status<500&&(r.current=0),s}},!0),since:r.current}}function rr({value:e,since:n},{value:r,since:o}){let s=r&&me([...r.items,...r.totals]),a=[],c=l=>l>0&&Date.now()-l>ns;return(c(n)||c(o))&&a.push(["stale",t("alarm_stale")]),r&&!r.ok&&a.push(["drift",s>0?t("alarm_drift",{drift:h(s)}):t("account_wrong")]),e?.queue.dead>0&&a.push(["dead",t("alarm_dead",{dead:h(e.queue.dead)})]),a}function or({on:e,change:n}){let r=os(e);return i`<label class="option sound"><input type="checkbox" id="sound" checked=${e}
      onChange=${o=>n(o.target.checked)} />${t("alarm_sound")}</label>
    <p class="muted" role="status" id="sound-waits">${e&&!r&&t("alarm_waits")}</p>`}function sr({title:e,reasons:n,on:r}){let o=C(new Set),s=n.map(([a])=>a).join();return P(()=>{document.title=`${n.length>0?`(${n.length}!) `:""}${e} · Onrush`},[e,n.length]),P(()=>{r&&n.some(([a])=>!o.current.has(a))&&tr(),o.current=new Set(n.map(([a])=>a))},[s]),i`<div role="alert" class="alarms">${n.map(([a,c])=>i`<p key=${a} class="problem" id="alarm-${a}">${c}</p>`)}</div>`}var Ot=5,ir=({code:e})=>i`${W("refusal",e).replace(e,"")} <code class="muted below">${e}</code>`;function ar({stats:e}){let{value:n,error:r,reload:o}=F(3e3,()=>f("GET",`/refusals?minutes=${Ot}`)),s=Object.entries(e.answers).map(([p,m])=>({call:p.split(":")[0],code:p.split(":")[1],n:m})).sort((p,m)=>m.n-p.n),a=Math.max(1,...s.map(({n:p})=>p)),c=({n:p})=>i`<${Ut} value=${p} of=${a} />`,l=[[t("call"),p=>t(`call_${p.call}`)],[t("code"),p=>i`<${ir} code=${p.code} />`,"lead"],[t("share"),c],[t("count"),p=>h(p.n),"number end"]],u=[[t("code"),p=>i`<${ir} code=${p.code} />`,"lead"],[t("count"),p=>h(p.requests),"number end"]],d=[["rooms","room_id"],["share_sources","share_source"]].filter(([p])=>e[p].length);return i`<div class="columns">
    <section><h2>${t("answers")}</h2>
      <${A} name=${t("answers")} rows=${s} columns=${l} empty=${t("answers_none")}
        keyOf=${p=>`${p.call}:${p.code}`} /></section>
    <section><h2>${t("refusals",{minutes:Ot})}</h2>
      <${O} error=${r} retry=${o} />
      ${n&&i`<${A} name=${t("refusals",{minutes:Ot})} rows=${n.items} columns=${u}
        empty=${t("refusals_none")} keyOf=${p=>p.code} />`}</section>
    ${d.map(([p,m])=>i`<${ss} name=${p} id=${m} stats=${e} />`)}</div>`}function ss({name:e,id:n,stats:r}){let o=a=>`#/money/orders?${new URLSearchParams({activity_id:r.activity_id,[n]:a[n]})}`,s=[[t(e),a=>i`<a href=${o(a)}>${a[n]}</a>`,"lead"],[t("orders"),a=>h(a.orders),"number end"]];return i`<section><h2>${t(e)}</h2>
    <${A} name=${t(e)} rows=${r[e]} columns=${s} empty="" keyOf=${a=>a[n]} /></section>`}var cr=150,is=300;function St({title:e,times:n,series:r}){let o=C(),s=C(),a=[n.map(d=>d/1e3),...r.map(d=>d.values)],c=C(a);c.current=a,P(()=>{let d=!1,p=matchMedia("(prefers-color-scheme: dark)"),m=async()=>{let{default:$}=await import("./uplot-2LURMCIS.js");d||(s.current?.destroy(),s.current=new $(as(o.current.clientWidth,r),c.current,o.current))},y=new ResizeObserver(()=>s.current?.setSize({width:o.current.clientWidth,height:cr}));return m(),p.addEventListener("change",m),y.observe(o.current),()=>{d=!0,p.removeEventListener("change",m),y.disconnect(),s.current?.destroy()}},[]),P(()=>{s.current?.setData(c.current)});let l=({values:d})=>d.at(-1)==null?"–":h(d.at(-1)),u=r.every(({values:d})=>d.filter(p=>p!=null).length<2);return i`<figure class="card chart">
    <figcaption><b>${e}</b>${r.map(d=>i`
      <span class="line ${d.color}">${d.label} <b>${l(d)}</b></span>`)}</figcaption>
    ${u&&i`<p class="muted nothing">${t("chart_empty")}</p>`}
    <div ref=${o} aria-hidden="true"></div></figure>`}function as(e,n){let r=getComputedStyle(document.documentElement),o=c=>r.getPropertyValue(`--${c}`).trim(),s={stroke:o("muted"),grid:{stroke:o("line"),width:1},ticks:{show:!1},font:"11px system-ui"},a=new Intl.DateTimeFormat(Ie,{hour:"2-digit",minute:"2-digit",hourCycle:"h23"});return{width:e,height:cr,legend:{show:!1},cursor:{show:!1},scales:{x:{range:(c,l,u)=>[Math.min(l,u-is),u]},y:{range:(c,l,u)=>[Math.min(0,l),Math.max(1,u*1.1)]}},axes:[{...s,values:(c,l)=>l.map(u=>a.format(u*1e3)),space:70,size:30},{...s,size:52,values:(c,l)=>l.map(u=>Number.isInteger(u)?h(u):"")}],series:[{},...n.map(c=>({stroke:o(c.color),width:2,fill:`${o(c.color)}22`,points:{show:!1},spanGaps:!0}))]}}var lr=5e3,dr=720;function ur(e,n){let r=Date.parse(n.server_time);if(e.length&&r-e.at(-1).at<lr)return e;let o=c=>n.partial&&!c?void 0:c,s=Object.entries(n.answers),a=c=>s.filter(([l])=>c(l)).reduce((l,[,u])=>l+u,0);return[...e,{at:r,orders_per_second:o(n.orders_per_second),queue_length:o(n.queue.length),queue_oldest_ms:o(n.queue.oldest_ms),remaining:Je(n)??null,unpaid:o(n.unpaid),paid:o(n.paid),refused:o(a(c=>!c.endsWith(":ok")))}].slice(-dr)}function cs(e,n){let r;return e.map(o=>{if(o[n]===void 0)return null;let s=r&&Math.max(0,(o[n]-r[n])*1e3/(o.at-r.at));return r=o,s===void 0?null:Math.round(s)})}function pr(e,n){let r=e.map(s=>({...s,at:Date.parse(s.at)}));return[...new Map([...n,...r].map(s=>[Math.floor(s.at/lr),s])).values()].sort((s,a)=>s.at-a.at).slice(-dr)}function $r({points:e}){let n=e.map(c=>c.at),r=(c,l,u)=>({label:c,color:l,values:u}),o=c=>e.map(l=>l[c]??null),s=(c,l,u)=>i`
    <${St} title=${t(c)} times=${n} series=${[r("",l,u)]} />`,a=o("queue_oldest_ms").map(c=>c===null?null:Math.round(c/100)/10);return i`<section class="charts" aria-label=${t("charts")}>
    ${s("orders_per_second","link",o("orders_per_second"))}
    ${s("left","link",o("remaining"))}
    ${s("queued","warn",o("queue_length"))}
    ${s("queue_age","warn",a)}
    <${St} title=${t("unpaid_paid")} times=${n}
      series=${[r(t("state_unpaid"),"warn",o("unpaid")),r(t("state_paid"),"good",o("paid"))]} />
    ${s("refused_per_second","muted",cs(e,"refused"))}
  </section>`}var fr=5,ls=100,rt=6e4,ds=4;async function _r(e){if(!B("GET /orders"))return;let n=Me()-e.pay_within_s*1e3+fr*rt,r=new URLSearchParams({activity_id:e.activity_id,status:"unpaid",to:new Date(n).toISOString(),page_size:String(ls)}),{items:o,next_cursor:s,partial:a}=await f("GET",`/orders?${r}`);return a?void 0:{units:o.flatMap(l=>l.items).reduce((l,u)=>l+u.quantity,0),more:!!s}}function us(e){let n=e.filter(s=>s.paid!==void 0),r=n.at(-1),o=n.find(s=>r.at-s.at<=rt);if(!(!r||r.at-o.at<rt/6))return Math.max(0,Math.round((r.paid-o.paid)*rt/(r.at-o.at)))}var ps=(e,n)=>new Intl.NumberFormat(Ie,{style:"percent",maximumFractionDigits:1}).format(e/n),$s=e=>e?t("peak",{orders:h(e.orders),time:It(e.at)}):"",mr=e=>e===1?t("of_order"):t("of_orders",{orders:typeof e=="number"?h(e):e}),ms=e=>t("room_length",{admitted:h(e.admitted),time:be(e.last_waits_s*1e3)});function hr({sale:e,skus:n,stats:r,audit:o,coming:s,points:a}){let c=v=>r.partial&&v===0?"–":v,l=v=>r.loaded?mt(r.stock,v):"–",u=r.placed+r.unpaid+r.paid+r.refunded+r.cancelled+r.failed,d=r.paid+r.refunded,p=us(a),m=s&&(s.more?`${h(s.units)}+`:s.units),y=r.loaded&&n&&Kt(e,n,r.stock),$=r.waiting_room,_=[["left",Je(r)??"–",t("of_total",{total:h(mt(r.stock,"total"))})],["orders_per_second",c(r.orders_per_second),$s(r.peak)],["paid_units",l("paid"),mr(c(r.paid))],["revenue",y?Ht(y):"–",t("revenue_note")],["drift",o?me(o.items):"–","",o?se(o.ok):""],["dead",c(r.queue.dead),"",r.queue.dead?"bad":""],["held",l("held"),mr(c(r.unpaid+r.placed))],["coming_back",m??"–",t("coming_back_note",{minutes:fr})],["paid_rate",u>0&&!r.partial?ps(d,u):"–",p===void 0?"":t("paid_minute",{n:h(p)})],["state_cancelled",c(r.cancelled)],["in_room",$?$.waiting:"–",$?ms($):t("room_none_short")],["queued",c(r.queue.length),t("oldest_age",{time:be(r.queue.oldest_ms)})]];return i`<dl class="figures twelve">${_.map(([v,w,V,S],k)=>i`
    <div id="figure-${v}" class="${S??""} ${k<ds?"first":""}"><dt>${t(v)}</dt>
      <dd>${typeof w=="number"?h(w):w} <small>${V}</small></dd></div>`)}</dl>`}var Tt="PATCH /activities/{activity_id}",ot=[.1,.2,.5,1,2,5,10,20,30,50,75,100,150,200,300,500,750,1e3,2e3,5e3,1e4],fs=e=>ot.reduce((n,r,o)=>Math.abs(r-e)<Math.abs(ot[n]-e)?o:n,0),_s=(e,n,r)=>({waiting:h(e.waiting),admitted:h(e.admitted),time:be((r?e.last_waits_s:e.waiting/n)*1e3),rate:h(n)});function yr({sale:e,line:n,then:r}){let[o,s]=g();if(!["upcoming","running"].includes(H(e)))return null;let a=e.waiting_room?.paths_per_second??-1,c=a>0,l=o??(c?a:10),u=c&&l===a,d=y=>($,_,v)=>f("PATCH",`/activities/${e.activity_id}`,{version:v??e.version,body:{waiting_room:{paths_per_second:y}}}),p=()=>{s(),r()},m=y=>Number(y.target.value)>=.01&&s(Number(y.target.value));return i`<details class="card room" id="room" open=${c}>
    <summary><h2>${t("room")}</h2> <span>${c?t("room_admits",{rate:h(a)}):t("room_none")}
      ${n&&i` <b id="room-line">${t("room_waits",_s(n,l,u))}</b>`}</span></summary>
    ${B(Tt)&&i`<div class="row">
      <label class="slider"><span>${t("room_rate")}</span>
        <input type="range" min="0" max=${ot.length-1} value=${fs(l)}
          aria-valuetext=${t("room_rate_is",{rate:h(l)})} onInput=${y=>s(ot[y.target.value])} />
      </label>
      <label class="unit"><span class="hidden">${t("room_rate")}</span>
        <input type="number" name="rate" min="0.01" step="any" value=${l} onChange=${m} />
        <span class="muted">${t("a_second")}</span></label></div>
    ${u&&i`<p class="muted">${t("room_same")}</p>`}
    <div class="row">
      ${u?i`<button class="quiet" disabled>${t("room_set")}</button>`:i`<${b} route=${Tt}
            label=${t(c?"room_set":"room_open")} id="room-set" run=${d(l)} then=${p} />`}
      ${c&&i`<${b} route=${Tt}
          label=${t("room_end")} title=${t("room_end")} help=${t("room_end_help")} kind="danger"
        id="room-end" run=${d(-1)} then=${p} />`}</div>`}</details>`}var hs=e=>H(e)==="running"&&!e.paused_at;function ys({id:e}){let n=`/activities/${encodeURIComponent(e)}`,[r,o]=nr(),s=F(5e3,()=>f("GET",n)),a=U(()=>K("/skus",{activity_id:e})),c=F(6e4,()=>f("GET",`${n}/history`)),l=F(1e4,async()=>s.value&&_r(s.value)),u=!!s.value;P(()=>{u&&l.reload()},[u]);let d=C([]),p=xt(1e3,async()=>{let w=await f("GET",`${n}/stats`);return Et(w.server_time),d.current=ur(d.current,w),w}),m=xt(2e3,()=>f("GET",`${n}/audit`));jt();let y=s.error??p.error??m.error;if(!s.value)return y?i`<${O} error=${y} retry=${s.reload} />`:i`<${L} />`;let $=()=>{s.reload(),m.reload(),p.reload()},_=pr(c.value?.items??[],d.current),v=`#/money/orders?${new URLSearchParams({activity_id:e})}`;return i`<div class="row heading"><h1>${s.value.title}</h1><${q} state=${H(s.value)} />
      ${s.value.paused_at&&i`<${q} state="paused" />`}
      <span class="muted" role="timer">${Zt(s.value)}</span>
      <span class="row actions"><${an} sale=${s.value} then=${$} />
        <${Qe} sale=${s.value} then=${$} /></span></div>
    <div class="row toolbar">
      ${B("GET /orders")&&i`<a id="orders" href=${v}>${t("orders")}</a>`}
      ${B("GET /changes")&&i`<a href="#/changes?${new URLSearchParams({on:`activity:${e}`})}">${t("menu_changes")}</a>`}
      ${B("PUT /activities/{activity_id}")&&i`<a href="#/edit/${e}">${t("edit")}</a>`}
      <${Ve} sale=${s.value} kind="link" />
      <${nn} sale=${s.value} then=${$} /><${on} sale=${s.value} then=${$} />
      <${sn} sale=${s.value} then=${$} />
      <${or} on=${r} change=${o} /></div>
    ${s.value.paused_at&&i`<p class="notice warn" id="paused" role="status">
      ${t("sale_paused",{time:I(s.value.paused_at)})}</p>`}
    <${O} error=${y} retry=${$} />
    <${sr} title=${s.value.title} reasons=${rr(p,m)} on=${r} />
    ${p.value?.partial&&i`<p class="notice">${t("partial")}</p>`}
    ${p.value&&i`<${hr} sale=${s.value} skus=${a.value} stats=${p.value} audit=${m.value}
        coming=${l.value} points=${_} />`}
    <${yr} sale=${s.value} line=${p.value?.waiting_room} then=${$} />
    <${$r} points=${_} />
    ${m.value&&i`<${Yn} audit=${m.value} sale=${s.value} again=${$} />`}
    ${p.value&&i`<${ar} stats=${p.value} />`}
    ${Pt.dev_tokens&&hs(s.value)&&i`<${Qn} activity=${e} />`}`}function bs({id:e}){let n=`/orders/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=F(5e3,async()=>{let[l,u]=await Promise.all([f("GET",n),B("GET /refunds")?f("GET",`/refunds?order_number=${encodeURIComponent(e)}&page_size=50`):{items:[]}]),d=ks(l,u.items),p=!d||d.channel==="outside";return{order:{...l,byPayment:!!d,outside:p},refunds:u.items}});if(!r)return o?i`<${O} error=${o} retry=${s} />`:i`<${L} />`;let{order:a,refunds:c}=r;return i`<div class="row heading">
      <h1>${t("order_title",{number:a.order_number})}</h1><${q} state=${a.status} />
      <${Es} order=${a} reload=${s} /><${ws} order=${a} path=${n} reload=${s} />
      <${vs} order=${a} path=${n} reload=${s} /></div>
    <div class="columns"><${xs} order=${a} reload=${s} /><${Os} order=${a} /></div>
    <h2>${t("payments")}</h2>
    <${A} name=${t("payments")} rows=${a.payments??[]} columns=${Ts()}
      empty=${t("order_payments_none")} keyOf=${l=>l.pay_number} />
    ${B("GET /refunds")&&i`<h2>${t("refunds")}</h2>
    <${A} name=${t("refunds")} rows=${c} columns=${Wt(s)} empty=${t("order_refunds_none")}
      keyOf=${l=>l.refund_number} />`}
    <h2>${t("log")}</h2>
    <${A} name=${t("log")} rows=${a.log} columns=${Ps()} empty=""
      keyOf=${l=>`${l.at}${l.what}`} />
    <${Cs} path=${n} notes=${a.notes??[]} reload=${s} />`}function gs({status:e,events:n}){return e==="unpaid"?["cancel","mark_paid"]:e==="refunded"&&!n.some(({what:r})=>r==="restocked")?["restock"]:[]}function vs({order:e,path:n,reload:r}){let o={name:"reason",label:t("why"),required:!0,maxlength:200};return gs(e).map(s=>i`<${b} key=${s} route=${`POST /orders/{order_number}/${s}`} label=${t(`order_${s}`)}
      title=${t(`order_${s}`)} help=${t(`order_${s}_help`)} fields=${[o]}
      kind=${s==="cancel"?"danger":"quiet"}
      run=${(a,c)=>f("POST",`${n}/${s}`,{key:c,body:a})} then=${r} />`)}function ks(e,n){let r=o=>n.some(s=>s.pay_number===o.pay_number&&!["operator","refunded_outside"].includes(s.reason));return(e.payments??[]).find(o=>["paid","refunding","refunded"].includes(o.status)&&!r(o))}function ws({order:e,path:n,reload:r}){if(e.status!=="paid"||!e.outside)return null;let o="order_mark_refunded",s=[kr(e),{name:"reference",label:t("refund_reference"),required:!0,maxlength:200},{name:"reason",label:t("why"),required:!0,maxlength:200}],a=({amount:c,reference:l,reason:u},d)=>{let p=J(c,e.currency),m={reference:l,reason:u,...p!==void 0&&{amount:p}};return f("POST",`${n}/mark_refunded`,{key:d,body:m})};return i`<${b} route="POST /orders/{order_number}/mark_refunded" label=${t(o)} title=${t(o)}
    fields=${s} run=${a} then=${r} preview=${c=>wr(e,c)} />`}function xs({order:e,reload:n}){let r=o=>E(o,e.currency);return i`<section class="card"><h2>${t("what")}</h2>
    <ul class="items">${e.items.map(o=>i`<li>
      <span>${o.title} × ${o.quantity}</span>
      <span class="row">${r(o.price*o.quantity)}
        <${Ls} order=${e} item=${o} reload=${n} /></span>
      ${o.voucher_codes?.map(s=>i`<p class="voucher">
        <a href="#/voucher/${s}"><code>${s}</code></a></p>`)}
      ${o.vouchers_waiting>0&&i`<p class="voucher">${t("vouchers_waiting",{count:h(o.vouchers_waiting)})}</p>`}</li>`)}</ul>
    <dl class="amounts">
      <div><dt>${t("freight")}</dt><dd>${r(e.freight_amount)}</dd></div>
      <div><dt>${t("amount")}</dt><dd>${r(e.total_amount)}</dd></div>
      ${e.refunded_amount>0&&i`
        <div><dt>${t("refunded")}</dt><dd>−${r(e.refunded_amount)}</dd></div>
        <div><dt>${t("amount_left")}</dt><dd>${r(je(e))}</dd></div>`}</dl></section>`}function Os({order:e}){let n=(r,o)=>i`<a href="#/money/orders?${new URLSearchParams({[r]:o})}">${o}</a>`;return i`<section class="card"><h2>${t("facts")}</h2><dl class="facts">
    ${R("buyer",i`<a href="#/user/${encodeURIComponent(e.user_id)}">${e.user_id}</a>`)}
    ${R("sale",e.activity_id&&i`<${Ss} id=${e.activity_id} />`)}
    ${R("placed",I(e.placed_at))}
    ${R("pay_before",e.status==="unpaid"&&I(e.pay_before))}
    ${R("paid_at",e.paid_at&&I(e.paid_at))}
    ${R("reason",e.cancel_reason&&W("cancel",e.cancel_reason))}
    ${R("delivery",t(`delivery_${e.delivery}`))}
    ${R("address",e.address&&Dt(e.address))}
    ${R("pickup_point",e.pickup_point_id)}
    ${R("shop",e.shop_id)}
    ${R("point",e.point_id)}
    ${R("client_reference",e.client_reference)}
    ${R("notify_token",e.notify_token)}
    ${Jt.map(r=>R(r,e[r]&&n(r,e[r])))}
    ${R("remark",e.remark)}
    ${Object.entries(e.fields??{}).map(([r,o])=>br(r,o))}</dl></section>`}function Ss({id:e}){let{value:n}=U(async()=>B("GET /activities/{activity_id}")&&f("GET",`/activities/${e}`));return i`<a href="#/live/${e}">${n&&n.title||e}</a>`}var R=(e,n)=>n&&br(t(e),n),br=(e,n)=>i`<div><dt>${e}</dt><dd>${n}</dd></div>`,Ts=()=>[[t("payment"),e=>i`<a href="#/payment/${e.pay_number}">${e.pay_number}</a>`,"lead"],[M(t("made")),e=>i`<${j} at=${e.created_at} />`],[t("channel"),e=>e.channel],[t("amount"),e=>E(e.amount,e.currency),"number"],[t("state"),e=>i`<${q} state=${e.status} />`,"end"]],qs=(e="")=>{let[n,r]=e.split(/:(.*)/);return r===void 0?W("who",e):`${W("who",n)} ${r}`},Ps=()=>[[M(t("at")),e=>i`<${j} at=${e.at} />`,"end"],[t("what"),e=>W("log",e.what),"lead"],[t("by"),e=>qs(e.who)],[t("from_address"),e=>e.from??""]];function Cs({path:e,notes:n,reload:r}){return i`<div class="row heading"><h2>${t("notes")}</h2>
      <${b} route="POST /orders/{order_number}/notes"
        label=${t("write_note")} title=${t("write_note")} help=${t("notes_help")}
        fields=${[{name:"text",label:t("note"),type:"textarea",required:!0,maxlength:1e3}]}
        run=${(o,s)=>f("POST",`${e}/notes`,{key:s,body:o})} then=${r} /></div>
    ${n.length===0&&i`<p class="empty">${t("notes_none")}</p>`}
    <ul class="list">${n.map(o=>i`<li class="card"><b>${o.actor}</b>
      <span class="muted"> ${I(o.at)}</span><p>${o.text}</p></li>`)}</ul>`}function gr(e){return e.voucher_codes?.length>0?e.voucher_codes.map(n=>({name:`voucher_${n}`,label:`${e.title}: ${t("refund_voucher",{code:n})}`,type:"checkbox"})):[{name:`units_${e.sku_id}`,label:t("refund_units",{title:e.title,quantity:e.quantity}),type:"number",min:0,max:e.quantity,initial:0}]}function st(e,n){let r=(e.voucher_codes??[]).filter(o=>n[`voucher_${o}`]);return{sku_id:e.sku_id,quantity:r.length||Number(n[`units_${e.sku_id}`]??0),...r.length>0&&{voucher_codes:r}}}var je=e=>e.total_amount-(e.refunded_amount??0);function vr(e,{reason:n,force:r},o,s,a){return f("POST",`/orders/${e.order_number}/refund`,{key:a,body:{reason:n,force:r==="true",...o.length>0&&{items:o},...s!==void 0&&{amount:s}}})}var kr=e=>({name:"amount",label:t("amount"),type:"number",min:0,help:t("refund_help",{amount:E(je(e),e.currency)})});function wr(e,n){let r=e.items.reduce((s,a)=>s+a.price*st(a,n).quantity,0),o=r>0?Math.min(r,je(e)):je(e);try{o=J(n.amount,e.currency)??o}catch(s){return s.message}return t("refund_preview",{amount:E(o,e.currency)})}function Es({order:e,reload:n}){if(e.status!=="paid"||!e.byPayment)return null;let r=[...e.items.flatMap(gr),kr(e),{name:"reason",label:t("reason"),maxlength:200},{name:"force",label:t("refund_force"),type:"checkbox"}],o=(s,a)=>{let c=e.items.map(l=>st(l,s)).filter(l=>l.quantity>0);return vr(e,s,c,J(s.amount,e.currency),a)};return i`<${b} route="POST /orders/{order_number}/refund"
    label=${t("refund_order")} title=${t("refund_order")} id="refund" kind="danger"
    fields=${r} run=${o} then=${n} preview=${s=>wr(e,s)} />`}function Ls({order:e,item:n,reload:r}){let o=e.items.length+n.quantity===2;if(e.status!=="paid"||o||!e.byPayment)return null;let[s,...a]=gr(n),l=[n.voucher_codes?.length>0?s:{...s,min:1,initial:1,required:!0},...a,{name:"reason",label:t("reason"),maxlength:200}],u=(p,m)=>{let y=st(n,p);if(y.quantity===0)throw new Error(t("refund_nothing"));return vr(e,p,[y],void 0,m)},d=p=>t("refund_preview",{amount:E(Math.min(n.price*st(n,p).quantity,je(e)),e.currency)});return i`<${b} route="POST /orders/{order_number}/refund"
    label=${t("refund_line")} title=${t("refund_line_title",{title:n.title})}
    id="refund-${n.sku_id}" fields=${l} run=${u} then=${r} preview=${d} />`}var qt=e=>`/points/${encodeURIComponent(e)}`,js=e=>e.split(/[,，、;；\n]/).map(n=>n.trim()).filter(Boolean),Ds=(e,n)=>n?te(e,n):e,xr=(e,n)=>[...e?[]:[{name:"point_id",label:t("point_id"),required:!0,...ne}],{name:"name",label:t("name"),required:!0,maxlength:200,initial:e?.name},{name:"regions",label:t("regions"),help:t("regions_help"),type:"textarea",initial:e?.regions.join(", ")},{name:"freight_extra",label:t("freight_extra"),help:n??t("minor_units"),type:"number",min:0,initial:Ds(e?.freight_extra??0,n)},{name:"pickup",label:t("pickup"),type:"checkbox",initial:e?.pickup},{name:"address",label:t("point_address"),help:t("point_address_help"),type:"textarea",maxlength:200,initial:e?.address},{name:"hours",label:t("point_hours"),maxlength:200,help:t("point_hours_help"),initial:e?.hours}],Or=(e,n)=>(r,o,s)=>Be(e,qt(e?.point_id??r.point_id),{body:{name:r.name,regions:js(r.regions),pickup:r.pickup==="true",address:r.address,hours:r.hours,freight_extra:(n?J(r.freight_extra,n):Number(r.freight_extra))??0}},s);function Us(e){let n=new Set(e.map(r=>r.currency));return n.size===1?[...n][0]:void 0}function Is({claims:e}){return i`<${O} error=${e.error} retry=${e.reload} />
    ${(e.value?.items??[]).map(({region:n,point_ids:r})=>i`<p class="notice" key=${n}>
      ${t("region_shared",{region:n,points:r.join(", "),wins:r[0]})}</p>`)}
    ${e.value?.next_cursor&&i`<p class="notice">…</p>`}`}function Ms({query:e}){let{value:n,error:r,reload:o}=U(()=>K("/skus"));if(!n)return r?i`<${O} error=${r} retry=${o} />`:i`<${L} />`;let s=new URLSearchParams(e).get("point_id"),a=Us(n);return s?i`<${Ns} id=${s} currency=${a} />`:i`<${As} currency=${a} />`}var Ns=({id:e,currency:n})=>i`<${Sr} points=${ze(qt(e))} currency=${n}>
  <p><a href="#/points">${t("all_points")}</a></p><//>`,As=({currency:e})=>i`<${Sr} points=${G("/points")} currency=${e} />`;function Sr({points:e,currency:n,children:r}){let o=U(()=>f("GET","/regions?shared=true&page_size=20")),s={...e,reload:()=>{e.reload(),o.reload()}},a=[[t("point"),c=>i`<b>${c.name}</b><p class="muted"><code>${c.point_id}</code></p>`,"lead wide"],[t("regions"),c=>c.regions.length?c.regions.join(", "):t("regions_rest"),"wide"],[t("freight_extra"),c=>n?E(c.freight_extra,n):c.freight_extra,"number named"],[t("pickup"),c=>i`${c.pickup?t("yes"):t("no")}
        ${[c.address,c.hours].filter(Boolean).map(l=>i`<p class="muted">${l}</p>`)}`,"wide named"],["",c=>i`<div class="row actions">
      <${b} route="PUT /points/{point_id}"
        label=${t("edit")} title=${t("edit")} fields=${xr(c,n)} run=${Or(c,n)}
        then=${s.reload} />
      ${c.point_id!=="0"&&i`<${b} route="DELETE /points/{point_id}" label=${t("delete")} kind="danger"
        title=${t("delete_title",{name:c.name})} help=${t("delete_point_help")} then=${s.reload}
        run=${(l,u,d=c.version)=>f("DELETE",qt(c.point_id),{version:d})} />`}</div>`,"tools"]];return i`<div class="row heading"><h1>${t("menu_points")}</h1>
      <${b} route="PUT /points/{point_id}"
        label=${t("new_point")} title=${t("new_point")} kind="go" fields=${xr(void 0,n)}
        run=${Or(void 0,n)} then=${s.reload} /></div>
    ${r}<p class="muted">${t("points_help")}</p><${Is} claims=${o} />
    <${z} list=${s} name=${t("menu_points")} columns=${a} empty=${t("points_none")}
      keyOf=${c=>c.point_id} />`}function Rs(){let{value:e,error:n,reload:r}=F(2e3,()=>f("GET","/queue"));if(!e)return n?i`<${O} error=${n} retry=${r} />`:i`<${L} />`;let o=[[t("lane"),a=>t("lane_number",{n:a.lane}),"lead"],[t("queued"),a=>h(a.length),"number named"],[t("oldest"),a=>a.length?Ge(a.oldest_ms):"–","number named"],[t("dead"),a=>i`<span class=${a.dead?"bad":""}>${h(a.dead)}</span>`,"number named"],[t("oldest_dead"),a=>a.dead?Ge(a.oldest_dead_ms):"–","number named"],[t("note"),a=>a.newer_records?t("newer_records"):"","wide"]],s=e.items.filter(a=>a.length||a.dead||a.newer_records);return i`<h1>${t("menu_queue")}</h1><p class="muted">${t("queue_help")}</p>
    <${A} name=${t("menu_queue")} columns=${o} rows=${s} keyOf=${a=>a.lane}
      empty=${t("queue_none",{lanes:e.items.length})} />
    ${B("GET /queue/dead")&&i`<${Fs} reload=${r} />`}`}function Fs({reload:e}){let[n,r]=g({reason:""}),o=G("/queue/dead",n),s=()=>{o.reload(),e()},a=[...new Set(o.items.map(c=>c.reason))];return i`<h2>${t("dead_title")}</h2>
    <div class="row">
      <${ee} fields=${[{name:"reason",label:t("reason"),maxlength:64}]} values=${n}
        change=${r} />
      ${a.map(c=>i`<${Bs} key=${c} reason=${c} then=${s} />`)}</div>
    <${z} list=${o} name=${t("dead_title")} columns=${Gs(s)} empty=${t("dead_none")}
      keyOf=${c=>c.dead_id} />`}function Bs({reason:e,then:n}){let r=t("replay_reason",{reason:W("dead",e)});return i`<${b} route="POST /queue/dead:replay" label=${r} title=${r} help=${t("replay_help")}
    run=${(o,s)=>f("POST","/queue/dead:replay",{key:s,body:{reason:e}})} then=${n} />`}function Gs(e){return[[t("order"),n=>n.order_number??n.dead_id,"lead"],[t("buyer"),n=>n.user_id??"–","cut"],[t("reason"),n=>i`<b>${W("dead",n.reason)}</b><p class="muted">${n.detail}</p>`,"wide"],[t("age"),n=>n.at?Ge(Bt(n.at)):"–","number end"],["",n=>i`<div class="row actions">
      <${b} route="POST /queue/dead/{dead_id}/replay" label=${t("replay")} id="replay-${n.dead_id}"
        run=${(r,o)=>f("POST",`/queue/dead/${n.dead_id}/replay`,{key:o})} then=${e} />
      <${b} route="POST /queue/dead/{dead_id}/discard" label=${t("discard")} title=${t("discard_title")}
        help=${t("discard_help")} kind="danger"
        run=${(r,o)=>f("POST",`/queue/dead/${n.dead_id}/discard`,{key:o})} then=${e} /></div>`,"tools"]]}var it="PATCH /settings",zs=["limits","limit_user","limit_address","limit_network","limit_strangers","limit_instance","limit_routes"],Js=["limit_routes","image_hosts"],Ws=["full","no_streams","no_lists","only_placing"],Tr={degrade:()=>Ws.map(e=>[e,t(`degrade_${e}`)]),limits:()=>["on","dry_run","off"].map(e=>[e,t(`limits_${e}`)]),log:()=>["debug","info","warn","error"].map(e=>[e,e])};function qr(e,n){return e==="degrade"||e==="limits"?t(`${e}_${n}`):Array.isArray(n)?n.join(", ")||"none":n}function Ks(e,n=""){return Js.includes(e)&&n?n.split(/\s*,\s*/):n.trim()||null}function Hs(){let{value:e,error:n,reload:r}=F(3e3,()=>f("GET","/settings"));if(!e)return n?i`<${O} error=${n} retry=${r} />`:i`<${L} />`;let{set:o,in_force:s}=e,a=u=>(d,p,m)=>f("PATCH","/settings",{version:m??e.version,body:u}),c=u=>i`<${b} route=${it} label=${t("change_setting")} id="set-${u}"
    title=${t(`setting_${u}`)} help=${t(`setting_${u}_help`)} then=${r}
    fields=${[Tr[u]?{name:"value",label:t("value"),options:Tr[u](),initial:s[u]}:{name:"value",label:t("value"),help:t("setting_empty"),initial:qr(u,o[u]??"")}]}
    run=${({value:d},p,m)=>a({[u]:Ks(u,d)})({},p,m)} />`,l=[[t("setting"),u=>i`<b>${t(`setting_${u}`)}</b>
      <p class="muted">${t(`setting_${u}_help`)}</p>`,"lead wide"],[t("value"),u=>i`${qr(u,s[u])}
      <p class="muted">${t(o[u]===void 0?"setting_environment":"setting_operators")}</p>`],["",u=>i`<div class="row actions">${c(u)}
      ${o[u]!==void 0&&i`<${b} route=${it} label=${t("unset")} id="unset-${u}" run=${a({[u]:null})}
          then=${r} />`}</div>`,"tools"]];return i`<h1>${t("menu_settings")}</h1><p class="muted">${t("settings_help")}</p>
    <section class="card" id="all-sales"><h2>${t("all_sales")}</h2>
      <p><${q} state=${s.sales_stopped?"paused":"ok"} />
        ${t(s.sales_stopped?"sales_are_stopped":"sales_go_on")}</p>
      <div class="row">${s.sales_stopped?i`<${b} route=${it} label=${t("go_on")} kind="go" id="go-on"
            run=${a({sales_stopped:null})} then=${r} />`:i`<${b} route=${it} label=${t("stop_sales")} kind="danger" id="stop-sales"
            title=${t("stop_sales_title")} help=${t("stop_sales_help")} run=${a({sales_stopped:!0})}
            then=${r} />`}</div></section>
    ${e.pending&&i`<p class="note">${t("settings_pending")}</p>`}
    ${s.limits!=="on"&&i`<p class="note">${t(`limits_are_${s.limits}`)}</p>`}
    <${O} error=${n} />
    <${A} name=${t("menu_settings")} columns=${l} rows=${["degrade",...zs,"image_hosts","log"]}
      keyOf=${u=>u} />`}function Vs({id:e}){let n=`/users/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=U(()=>f("GET",`${n}/trail`),[e]),a=new URLSearchParams({user_id:e});return i`<div class="row heading"><h1>${t("user_title",{user:e})}</h1>
      <a class="button quiet" href="#/money/orders?${a}">${t("orders_all")}</a>
      <${b} route="GET /users/{user_id}/export" label=${t("user_export")} 
        run=${()=>zt(`${n}/export`,"user.json")} />
      <${Xs} path=${n} user=${e} then=${s} /></div>
    <${O} error=${o} retry=${s} />
    ${r?i`<${Qs} trail=${r} />`:!o&&i`<${L} />`}`}function Qs({trail:e}){return i`${e.partial&&i`<p class="notice">${t("trail_partial")}</p>`}
    <h2>${t("trail_refusals")}</h2>
    <p class="muted">${t("trail_help")}</p>
    <${A} name=${t("trail_refusals")} rows=${e.refusals} columns=${Ys()}
      empty=${t("trail_refusals_none")}
      keyOf=${n=>`${n.instance}${n.first_request_id}${n.first_at}`} />
    <h2>${t("trail_orders")}</h2>
    <${A} name=${t("trail_orders")} rows=${e.orders} columns=${Zs()} empty=${t("trail_orders_none")}
      keyOf=${n=>n.order_number} />`}var Ys=()=>[[M(t("trail_last")),e=>i`<${j} at=${e.last_at} />`,"lead"],[t("trail_answer"),e=>e.detail||e.code,"wide"],[t("code"),e=>i`<code>${e.code}</code>`],[t("trail_request"),e=>i`<code>${e.method} ${e.path}</code>`,"cut"],[t("trail_count"),e=>h(e.count),"number named"],[t("trail_request_id"),e=>i`<code>${e.last_request_id}</code>`,"cut named"],[t("trail_key"),e=>e.idempotency_key&&i`<code>${e.idempotency_key}</code>`,"cut named"]],Zs=()=>[[t("order"),e=>i`<a href="#/order/${e.order_number}">${e.order_number}</a>`,"lead"],[M(t("placed")),e=>i`<${j} at=${e.placed_at} />`],[t("what"),e=>e.items.map(n=>`${n.title} × ${n.quantity}`).join(", "),"cut"],[t("amount"),e=>E(e.total_amount,e.currency),"number"],[t("state"),e=>i`<${q} state=${e.status} />`,"end"]];function Xs({path:e,user:n,then:r}){let o=[{name:"confirm",label:t("type_to_confirm",{what:n}),required:!0,maxlength:64}];return i`<${b} route="POST /users/{user_id}/erase" label=${t("user_erase")} kind="danger"
    title=${t("user_erase_title",{user:n})} help=${t("user_erase_help")} fields=${o}
    run=${(s,a)=>f("POST",`${e}/erase`,{key:a,body:s})} then=${r} />`}function ei({id:e}){let n=`/vouchers/${encodeURIComponent(e)}`,{value:r,error:o,reload:s}=U(()=>f("GET",n));return r?i`<div class="row heading"><h1>${t("voucher_title",{code:e})}</h1><${q} state=${r.status} />
      ${r.status==="active"&&i`<${b} route="POST /vouchers/{code}/redeem" label=${t("redeem")} kind="go" title=${t("redeem")}
        fields=${[{name:"where",label:t("where"),required:!0,maxlength:100}]}
        run=${(a,c)=>f("POST",`${n}/redeem`,{key:c,body:a})} then=${s} />`}</div>
    <section class="card"><dl class="facts">
      <div><dt>${t("what")}</dt><dd>${r.title}</dd></div>
      <div><dt>${t("order")}</dt><dd><a href="#/order/${r.order_number}">${r.order_number}</a></dd></div>
      <div><dt>${t("buyer")}</dt><dd>${r.user_id}</dd></div>
      ${r.redeemed_at&&i`<div><dt>${t("redeemed")}</dt>
        <dd>${I(r.redeemed_at)}, ${r.redeemed_where}, ${r.redeemed_by}</dd></div>`}</dl></section>`:o?i`<${O} error=${o} retry=${s} />`:i`<${L} />`}var ti=6,ni=150,ri={order:e=>`#/order/${e}`,payment:e=>`#/payment/${e}`,refund:e=>`#/money/refunds?refund_number=${encodeURIComponent(e)}`,user:e=>`#/user/${encodeURIComponent(e)}`,refusal:(e,n)=>`#/user/${encodeURIComponent(n)}`,voucher:e=>`#/voucher/${encodeURIComponent(e)}`};async function oi(){let[e,n,r]=await Promise.all([K("/activities"),K("/skus"),K("/points")]),o=(s,a,c,l,u)=>({kind:s,id:a,title:c,href:l,state:u});return[...e.map(s=>o("sale",s.activity_id,s.title,Xt(s),H(s))),...n.map(s=>o("sku",s.sku_id,s.title,`#/goods?${new URLSearchParams({sku_id:s.sku_id})}`)),...r.map(s=>o("point",s.point_id,s.name,`#/points?${new URLSearchParams({point_id:s.point_id})}`))]}function si(e,n){let r=n.toLowerCase().split(/\s+/).filter(Boolean);if(r.length===0)return[];let o={};return e.filter(({kind:s,id:a,title:c})=>{let l=`${c} ${a}`.toLowerCase();return r.every(u=>l.includes(u))?(o[s]=(o[s]??0)+1,o[s]<=ti):!1})}function ii(e){let[n,r]=g({of:"",hits:[]});return P(()=>{if(!e)return;let o=!0,s=setTimeout(async()=>{try{let{items:a}=await f("GET",`/search?q=${encodeURIComponent(e)}`),c=a.map(({kind:l,id:u,user_id:d})=>({kind:l,id:u,title:d??u,href:ri[l](u,d)}));o&&r({of:e,hits:c})}catch(a){o&&r({of:e,hits:[],error:a})}},ni);return()=>{o=!1,clearTimeout(s)}},[e]),n.of===e?n:{hits:[],waits:!!e}}var at=e=>`${e.kind} ${e.id}`;function ai(e){let[,n]=g(""),r=C(""),o=Math.max(0,e.findIndex(a=>at(a)===r.current));return r.current=e[o]?at(e[o]):"",{at:o,mark:a=>{r.current=a?at(a):"",n(r.current)}}}function ci({close:e}){let[n,r]=g(""),[o,s]=g(!1),a=U(oi),c=ii(n.trim()),l=[...c.hits,...si(a.value??[],n)],{at:u,mark:d}=ai(l),p=c.waits||!!n.trim()&&!a.value&&!a.error,m=_=>{e(),Ne(_.href)};P(()=>{!o||p||(s(!1),l.length>0&&m(l[0]))},[o,p]);let y=_=>{let v={ArrowDown:1,ArrowUp:-1}[_.key];v&&l.length>0?(_.preventDefault(),d(l[(u+v+l.length)%l.length])):_.key==="Enter"&&(_.preventDefault(),l[u]?m(l[u]):s(p))},$=_=>{r(_.target.value),d(),s(!1)};return i`<${N} title=${t("search_short")} close=${e}><div class="finder">
    <input id="search" type="text" enterkeyhint="go" maxlength="128" autocomplete="off" autofocus role="combobox"
      aria-expanded="true" aria-controls="hits" aria-autocomplete="list" aria-label=${t("search")}
      aria-activedescendant=${l[u]&&`hit-${u}`} value=${n} onInput=${$} onKeyDown=${y} />
    <${O} error=${c.error??a.error} />
    <ul id="hits" role="listbox" aria-label=${t("search_hits")}>${l.map((_,v)=>i`<li id="hit-${v}" key=${at(_)} role="option" aria-selected=${v===u}
        onClick=${()=>m(_)} onMouseMove=${()=>d(_)}>
        <span class="muted kind">${t(`hit_${_.kind}`)}</span><b>${_.title}</b>
        ${_.title!==_.id&&i`<code class="muted">${_.id}</code>`}
        ${_.state&&i`<${q} state=${_.state} />`}</li>`)}</ul>
    <p class="muted" role="status">${li(n.trim(),p,l)}</p></div>
    <button type="button" class="quiet" onClick=${e}>${t("close")}</button><//>`}function li(e,n,r){return e?n?`${t("loading")} …`:r.length===0?t("search_none"):"":t("search_help")}export{Ur as Blocked,Rr as Changes,Br as Deliveries,go as Edit,Lr as Endpoints,Bo as Goods,jr as Jobs,Ho as Keys,ys as Live,Cr as Money,bs as Order,Er as Payment,Ms as Points,Rs as Queue,Dr as Sales,ci as SearchDialog,Hs as Settings,Vs as User,ei as Voucher};

#define _POSIX_C_SOURCE 200809L
#include <tally.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double now(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec+t.tv_nsec*1e-9;}
static tally_context *c;
static void *x,*out;
static void time_one(const char*name,tally_op op,tally_type type,int rank,int64_t a,int64_t b,int axis,uint32_t flags,int verb){
  int64_t shape[2]={a,b}; int32_t axes[1]={axis};
  tally_array in=tally_shaped(x,type,rank,shape),like; tally_options o=TALLY_OPTIONS_INIT; o.flags=flags;
  tally_array y=in; if(op==TALLY_DOT)o.second=&y;
  if(rank==2){o.axes=axes;o.axis_count=1;}
  if(tally_result_like(verb,op,&in,&o,&like)){printf("%s: %s\n",name,tally_last_error());return;}
  like.data=out;
  double t0=now();
  tally_status s= verb==TALLY_REDUCE?tally_reduce(c,op,&in,&like,&o):tally_scan(c,op,&in,&like,&o);
  if(!s)s=tally_synchronize(c);
  double first=now()-t0;
  if(s){printf("%s %s: %s\n",name,tally_type_name(type),tally_last_error());return;}
  int reps=first>0.02?4:12; double best=1e9;
  for(int r=0;r<2;r++){t0=now();for(int i=0;i<reps;i++){ verb==TALLY_REDUCE?tally_reduce(c,op,&in,&like,&o):tally_scan(c,op,&in,&like,&o);} double tc=now()-t0; tally_synchronize(c); double t=(now()-t0)/reps; if(t<best)best=t; (void)tc;}
  double bytes=(double)a*(rank==2?b:1)*tally_type_size(type)*(op==TALLY_DOT?2:1);
  double ob=1; if(rank==2) ob=(double)(axis==0?b:a); if(verb==TALLY_SCAN)ob=(double)a*(rank==2?b:1); ob*=tally_type_size(like.type);
  printf("%-10s %-5s %12lld x %-10lld axis %d flags %x first %7.1f ms  %9.1f us  %7.0f GB/s\n",name,tally_type_name(type),(long long)a,(long long)(rank==2?b:1),axis,flags,first*1e3,best*1e6,(bytes+ob)/best*1e-9);
  fflush(stdout);
}
int main(int argc,char**argv){
  double t0=now(); if(tally_open("cuda",&c)){printf("%s\n",tally_last_error());return 1;} printf("open %.1f ms\n",(now()-t0)*1e3);
  size_t room=(size_t)1<<30; 
  if(tally_alloc(c,room+64,&x)||tally_alloc(c,(size_t)9<<30,&out)){printf("%s\n",tally_last_error());return 1;}
  float*h=malloc(room); uint64_t s=1; for(size_t i=0;i<room/4;i++){s=s*6364136223846793005ull+1;h[i]=(float)((int64_t)s>>11)*0x1p-52f;}
  tally_copy(c,x,h,room);
  tally_type types[]={TALLY_I8,TALLY_I32,TALLY_F16,TALLY_BF16,TALLY_F32,TALLY_F64,TALLY_C64};
  tally_op ops[]={TALLY_SUM,TALLY_MAX,TALLY_ARGMAX,TALLY_VAR,TALLY_DOT,TALLY_LOGSUMEXP};
  const char*names[]={"sum","max","argmax","var","dot","logsumexp"};

  if(argc>1&&!strcmp(argv[1],"tune")){
    tally_type tt[]={TALLY_I8,TALLY_F16,TALLY_BF16,TALLY_F32,TALLY_F64};
    for(int k=0;k<5;k++){ size_t es=tally_type_size(tt[k]);
      size_t n=room/es; unsigned char*b=(unsigned char*)h; s=1; for(size_t i=0;i<n;i++){s=s*6364136223846793005ull+1; double v=(double)((int64_t)s>>11)*0x1p-52; float f=(float)v; if(es==8)memcpy(b+i*8,&v,8); else if(es==4) memcpy(b+i*4,&f,4); else if(es==2){uint16_t q=(uint16_t)(s>>40); if(tt[k]==TALLY_F16) q=(q&0x8fff)|0x3000; else q=(q&0x83ff)|0x3c00; memcpy(b+i*2,&q,2);} } tally_copy(c,x,h,room);
      for(int B=2;B<=6;B++) for(int V=es==8?4:es==1?2:2;V<=8;V*=2){ if(es==1&&V>4)continue; if(es==2&&V>4) continue; char a[9]; sprintf(a,"%d",B); setenv("T_BLK",a,1); sprintf(a,"%d",V); setenv("T_VEC",a,1); printf("B %d V %d ",B,V); time_one("sum",TALLY_SUM,tt[k],1,room/es,1,0,0,TALLY_REDUCE);}
      unsetenv("T_VEC");
      for(int B=2;B<=4;B++){ char a[9]; sprintf(a,"%d",B); setenv("T_BLK",a,1); printf("B %d ",B); time_one("scan",TALLY_SUM,tt[k],1,room/es,1,0,0,TALLY_SCAN);
       if(k==3) {printf("B %d ",B); time_one("scan",TALLY_SUM,TALLY_I32,1,room/es,1,0,0,TALLY_SCAN); printf("B %d ",B); time_one("scan max",TALLY_MAX,TALLY_I32,1,room/es,1,0,0,TALLY_SCAN);printf("B %d ",B); time_one("scan plain",TALLY_SUM,tt[k],1,room/es,1,0,TALLY_PLAIN,TALLY_SCAN);} }
      if(k==3||k==0) for(int B=2;B<=6;B+=2) for(int V=4;V<=32;V*=2) { char a[9]; sprintf(a,"%d",B); setenv("T_BLK",a,1); sprintf(a,"%d",V); setenv("T_VEC",a,1); printf("B %d V %d ",B,V); time_one("cols",TALLY_SUM,k?TALLY_I32:TALLY_I8,2,room/es/8192,8192,0,0,TALLY_REDUCE); if(V<=16&&k) {printf("B %d V %d ",B,V); time_one("cols",TALLY_SUM,TALLY_F32,2,room/es/8192,8192,0,0,TALLY_REDUCE);} }
      unsetenv("T_VEC"); unsetenv("T_BLK");
    } return 0; }
  int scans=1;
  for(int k=0;k<7;k++){
    size_t es=tally_type_size(types[k]);
    /* valid numbers for the type */
    if(types[k]==TALLY_F64||types[k]==TALLY_F16||types[k]==TALLY_BF16){ size_t n=room/es; unsigned char*b=(unsigned char*)h; s=1; for(size_t i=0;i<n;i++){s=s*6364136223846793005ull+1; double v=(double)((int64_t)s>>11)*0x1p-52; if(es==8)memcpy(b+i*8,&v,8); else {uint16_t q=(uint16_t)(s>>40); if(types[k]==TALLY_F16) q=(q&0x8fff)|0x3000; else q=(q&0x83ff)|0x3c00; memcpy(b+i*2,&q,2);} } tally_copy(c,x,h,room);}
    else if(types[k]==TALLY_F32||types[k]==TALLY_C64){ s=1; for(size_t i=0;i<room/4;i++){s=s*6364136223846793005ull+1;h[i]=(float)((int64_t)s>>11)*0x1p-52f;} tally_copy(c,x,h,room);}
    for(int o=0;o<6;o++) if(!(types[k]==TALLY_C64&&(o==1||o==2||o==5))) time_one(names[o],ops[o],types[k],1,room/es,1,0,0,TALLY_REDUCE);
    if(types[k]>=TALLY_F16) time_one("plain",TALLY_SUM,types[k],1,room/es,1,0,TALLY_PLAIN,TALLY_REDUCE);
    if(types[k]==TALLY_F32||types[k]==TALLY_I8||types[k]==TALLY_F64){
      for(int64_t r=2;r<=(int64_t)(room/es)/2;r*=16){ time_one("rows",TALLY_SUM,types[k],2,room/es/r,r,1,0,TALLY_REDUCE); }
      for(int64_t r=2;r<=(int64_t)(room/es)/2;r*=16){ time_one("cols",TALLY_SUM,types[k],2,room/es/r,r,0,0,TALLY_REDUCE); }
      time_one("rows max",TALLY_MAX,types[k],2,room/es/1000,1000,1,0,TALLY_REDUCE);
      time_one("rows max",TALLY_MAX,types[k],2,room/es/1001,1001,1,0,TALLY_REDUCE);
      time_one("rows sum",TALLY_SUM,types[k],2,room/es/1001,1001,1,0,TALLY_REDUCE);
      time_one("rows lse",TALLY_LOGSUMEXP,types[k],2,room/es/1024,1024,1,0,TALLY_REDUCE);
      time_one("cols lse",TALLY_LOGSUMEXP,types[k],2,room/es/1024,1024,0,0,TALLY_REDUCE);
    }
    if(scans&&types[k]!=TALLY_C64){ time_one("scan",TALLY_SUM,types[k],1,room/es,1,0,0,TALLY_SCAN); time_one("scan max",TALLY_MAX,types[k],1,room/es,1,0,0,TALLY_SCAN);time_one("scan plain",TALLY_SUM,types[k],1,room/es,1,0,TALLY_PLAIN,TALLY_SCAN);
      for(int64_t r=16;r<=(int64_t)(room/es)/16;r*=64){time_one("scan rows",TALLY_SUM,types[k],2,room/es/r,r,1,0,TALLY_SCAN);time_one("scan cols",TALLY_SUM,types[k],2,room/es/r,r,0,0,TALLY_SCAN);}}
  }
  for(int64_t n=1;n<=1<<24;n*=16){ time_one("small",TALLY_SUM,TALLY_F32,1,n,1,0,0,TALLY_REDUCE); time_one("small max",TALLY_MAX,TALLY_F32,1,n,1,0,0,TALLY_REDUCE); if(scans)time_one("small scan",TALLY_SUM,TALLY_I32,1,n,1,0,0,TALLY_SCAN);}
  tally_close(c); return 0;
}
